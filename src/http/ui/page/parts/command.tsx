import { type CommandLine, commandText, shellWord } from '../explain/command-line.ts'
import { useCaller } from '../live/context.ts'
import { shellWords } from '../words/shell-words.ts'
import { CopyButton } from './copy-button.tsx'

/** The command line that does or shows the same. */
export function Command({ line }: { readonly line: CommandLine }) {
  const { client } = useCaller()
  return <ToCopy text={commandText(client.product.name, line, client.caller.datacenter)} />
}

export interface RequestProps {
  readonly method?: 'GET' | 'PUT'
  /** As in `Asked`. */
  readonly path: string
}

/** The request that does or shows the same, for what the program has no command. The secret is that of the shell. */
export function Request({ method = 'GET', path }: RequestProps) {
  const { client } = useCaller()
  const { apiRoot, name, title } = client.product
  const { token, datacenter } = client.caller
  const verb = method === 'GET' ? [] : ['-X', method]
  const header = token === '' ? [] : ['-H', `"X-${title}-Token: $${name.toUpperCase()}_HTTP_TOKEN"`]
  const query = datacenter === '' ? '' : `?dc=${encodeURIComponent(datacenter)}`
  return <ToCopy text={['curl', ...verb, ...header, shellWord(`${apiRoot}${path}${query}`)].join(' ')} />
}

function ToCopy({ text }: { readonly text: string }) {
  return (
    <p class="command">
      <span class="label">{shellWords.command}</span> <code>{text}</code> <CopyButton text={text} />
    </p>
  )
}
