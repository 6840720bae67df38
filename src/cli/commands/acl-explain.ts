import { failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { textFlag } from '../flags/flag-values.ts'
import { formatTable } from '../table.ts'

/** Allowed, denied, and that it cannot be told. */
const [allowedCode, deniedCode, unknownCode] = [0, 1, 2] as const

export const explainCommand: CliCommand = {
  path: ['acl', 'explain'],
  summary: 'Say whether a token has a right, and which rule decides',
  operands: 'RESOURCE:RIGHT [NAME]',
  about:
    'Such as service:write web, key:list app/ or operator:read, for the token of the request, for that of -accessor, or for who ' +
    `sends none. A server says what it would decide. Exits with ${deniedCode} where it is denied, and with ${unknownCode} where that cannot be told.`,
  flags: [
    {
      name: 'accessor',
      kind: 'text',
      value: '<id>',
      help: 'Another token than that of the request, which must read tokens.',
    },
    ...serverFlags,
  ],
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
    const { decisionText, explain, questionOf } = await import('../acl/acl-explanation.ts')
    const question = questionOf(asked, name)
    if (!question.ok) return cannot(question.error)
    const explained = await explain(invocation, question.value, textFlag(invocation, 'accessor'))
    if (!explained.ok) return cannot(explained.error)
    const { AccessorID, Allowed } = explained.value
    const who = AccessorID === '' ? 'without an accessor' : AccessorID
    const what = [asked, ...(name === undefined ? [] : [JSON.stringify(name)])].join(' ')
    invocation.terminal.out(
      formatTable([
        [Allowed ? 'Allowed:' : 'Denied:', what],
        ['Token:', who],
        ['Because:', decisionText(explained.value)],
      ]),
    )
    return Allowed ? allowedCode : deniedCode
  },
}
