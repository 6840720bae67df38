import { failed, misused, serverFlags, surplusOperands } from '../client.ts'
import type { CliCommand } from '../command.ts'
import { formatTable } from '../table.ts'

/** Allowed, denied, and that it cannot be told. */
const [allowedCode, deniedCode, unknownCode] = [0, 1, 2] as const

export const explainCommand: CliCommand = {
  path: ['acl', 'explain'],
  summary: 'Say whether a token has a right, and which rule decides',
  operands: 'RESOURCE:RIGHT [NAME]',
  about:
    'Such as service:write web, key:list app/ or operator:read, for the token that -token names, or for who sends none. Its ' +
    `policies are read with the token of the environment. Exits with ${deniedCode} where it is denied, and with ${unknownCode} where that cannot be told.`,
  flags: serverFlags,
  async run(invocation) {
    const [asked, name] = invocation.args
    const surplus = surplusOperands(invocation, 2)
    const cannot = (why: string): number => {
      failed(invocation, `Error: ${why}`)
      return unknownCode
    }
    if (asked === undefined || surplus !== undefined) {
      misused(invocation, surplus ?? 'Say what is asked for: RESOURCE:RIGHT [NAME]')
      return unknownCode
    }
    const { decisionText, explain, questionOf } = await import('../acl-explanation.ts')
    const question = questionOf(asked, name)
    if (!question.ok) return cannot(question.error)
    const explained = await explain(invocation, question.value)
    if (!explained.ok) return cannot(explained.error)
    const { token, decision } = explained.value
    const who = [token.AccessorID, ...(token.Description === '' ? [] : [`(${token.Description})`])].join(' ')
    const what = [asked, ...(name === undefined ? [] : [JSON.stringify(name)])].join(' ')
    invocation.terminal.out(
      formatTable([
        [decision.allowed ? 'Allowed:' : 'Denied:', what],
        ['Token:', who],
        ['Because:', decisionText(decision)],
      ]),
    )
    return decision.allowed ? allowedCode : deniedCode
  },
}
