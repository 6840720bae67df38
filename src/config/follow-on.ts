import { agentFlags } from './agent-flags.ts'
import type { ConfigProblem } from './problem.ts'

/** What follows from keys that the words of it do not name. */
const consequences: readonly (readonly [message: RegExp, of: readonly string[]])[] = [
  [
    / already configured for /,
    ['ports', 'addresses', 'client_addr', 'bind_addr', 'advertise_addr', 'advertise_addr_wan', 'server'],
  ],
  [/^(No|Multiple) .* address(es)? found/, ['bind_addr', 'advertise_addr']],
  [/no CA certificate provided/, ['ca_file', 'ca_path', 'ports', 'server']],
  [/no Cert\/Key pair provided/, ['cert_file', 'key_file', 'ports', 'server']],
  [/Scripts are disabled/, ['enable_script_checks', 'enable_local_script_checks']],
  [/^must provide a /, ['connect']],
]

/**
 * Whether something that is wrong with the whole may be wrong only because a key could not be read: `missing`, with dots. It
 * is not told then: who corrects the key would find that it was never true.
 */
export function followsFrom(missing: readonly string[], { message, remedy }: ConfigProblem): boolean {
  const text = `${message} ${remedy}`
  return missing.some((key) => {
    const [top = ''] = key.split('.')
    return (
      [key, ...flagsOf(key)].some((name) => mentions(text, name)) ||
      consequences.some(([pattern, of]) => of.includes(top) && pattern.test(message))
    )
  })
}

function flagsOf(key: string): readonly string[] {
  return agentFlags.flatMap(({ name, path }) => (path?.join('.') === key ? [`-${name}`] : []))
}

/** As a whole word: `ports.http` is not in `ports.https`. */
function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name)
  if (at < 0) return false
  const [before = '', after = ''] = [text[at - 1], text[at + name.length]]
  return (!/[\w.-]/.test(before) && !/\w/.test(after)) || mentions(text.slice(at + name.length), name)
}
