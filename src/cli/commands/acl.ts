import { textOf } from '../../base/bytes.ts'
import { inputBytesMax } from '../../env/terminal.ts'
import type { AclApi } from '../acl/acl-api.ts'
import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'
import { dataOperand, textFlag } from '../flags/values.ts'
import { formatTable } from '../output.ts'

export const bootstrapCommand: CliCommand = {
  path: ['acl', 'bootstrap'],
  summary: 'Bootstrap the ACL system: make the first token, which may do everything',
  operands: '',
  flags: serverFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { AclApi } = await import('../acl/acl-api.ts')
    const { tokenText } = await import('../acl/acl-text.ts')
    const made = await new AclApi(new ApiClient(invocation)).bootstrap()
    if (!made.ok) return failed(invocation, `Failed ACL bootstrapping: ${made.error}`)
    invocation.terminal.out(tokenText(made.value, false))
    return 0
  },
}

/**
 * The agent's names of tokens, by their names on the command line. Reference: access-control.md#agent-token-slots,
 * command-line.md#command-acl-set-agent-token.
 */
const agentTokens: ReadonlyMap<string, string> = new Map([
  ['default', 'acl_token'],
  ['agent', 'acl_agent_token'],
  ['master', 'acl_agent_master_token'],
  ['agent_master', 'acl_agent_master_token'],
  ['replication', 'acl_replication_token'],
])

export const setAgentTokenCommand: CliCommand = {
  path: ['acl', 'set-agent-token'],
  summary: 'Set a token that the agent uses',
  operands: 'TYPE TOKEN',
  about:
    'TYPE is default, agent, master or replication. After a restart the agent uses the token of its configuration again.',
  flags: serverFlags,
  async run(invocation) {
    const [type, token] = invocation.args
    const surplus = surplusOperands(invocation, 2)
    if (surplus !== undefined) return misused(invocation, `Error! ${surplus}`)
    if (type === undefined) return misused(invocation, 'Error! Missing TYPE and TOKEN arguments')
    if (token === undefined) return misused(invocation, 'Error! Missing TOKEN argument')
    const kind = agentTokens.get(type)
    if (kind === undefined)
      return failed(
        invocation,
        `Unknown token type ${JSON.stringify(type)}: write default, agent, master or replication`,
      )
    const { AclApi } = await import('../acl/acl-api.ts')
    const set = await new AclApi(new ApiClient(invocation)).setAgentToken(kind, token)
    if (!set.ok) return failed(invocation, `Failed to set ACL token ${JSON.stringify(type)}: ${set.error}`)
    invocation.terminal.out(`ACL token ${JSON.stringify(type)} set successfully\n`)
    return 0
  },
}

export const translateRulesCommand: CliCommand = {
  path: ['acl', 'translate-rules'],
  summary: 'Translate legacy rules into the new grammar',
  operands: 'RULES',
  about:
    'RULES is the text itself, - for standard input, or @FILE; with -token-accessor or -token-secret it is the ID of a token.',
  flags: [
    {
      name: 'token-accessor',
      kind: 'bool',
      help: 'RULES is the accessor ID of a legacy token, whose rules are translated.',
    },
    {
      name: 'token-secret',
      kind: 'bool',
      help: 'RULES is the secret ID of a legacy token, whose rules are translated.',
    },
    ...serverFlags,
  ],
  async run(invocation) {
    const [given] = invocation.args
    const surplus = surplusOperands(invocation, 1)
    if (surplus !== undefined) return misused(invocation, `Error! ${surplus}`)
    if (given === undefined) return misused(invocation, 'Error! Missing RULES argument')
    const data = await dataOperand(invocation, given, inputBytesMax)
    if (!data.ok) return failed(invocation, data.error)
    const [byAccessor, bySecret] = ['token-accessor', 'token-secret'].map((flag) => invocation.flags.get(flag) === true)
    if (byAccessor && bySecret) return failed(invocation, 'Error! Give one of -token-accessor and -token-secret')
    const { AclApi, accessorOfToken } = await import('../acl/acl-api.ts')
    const api = new AclApi(new ApiClient(invocation))
    const name = textOf(data.value).trim()
    const accessor = byAccessor || bySecret ? await accessorOfToken(invocation, name, bySecret === true) : undefined
    if (accessor?.ok === false) return failed(invocation, `Error translating rules: ${accessor.error}`)
    const of = accessor === undefined ? { text: data.value } : { accessor: accessor.value }
    const translated = await api.translate(of)
    if (!translated.ok) return failed(invocation, `Error translating rules: ${translated.error}`)
    invocation.terminal.out(`${textOf(translated.value).replace(/\n$/, '')}\n`)
    return 0
  },
}

/** Exit codes: allowed, denied, and unknown. */
const [allowedCode, deniedCode, unknownCode] = [0, 1, 2] as const

export const explainCommand: CliCommand = {
  path: ['acl', 'explain'],
  summary: 'Show whether a token has a right, and which rule decides',
  operands: 'RESOURCE:RIGHT [NAME]',
  about:
    'Examples: service:write web, key:list app/, operator:read. The token is that of -accessor, or that of the request, or the anonymous ' +
    `token if the request has none. The server says what it would decide now. Exits with ${deniedCode} if the right is denied, and with ${unknownCode} if that is unknown.`,
  flags: [
    {
      name: 'accessor',
      kind: 'text',
      value: '<id>',
      help: 'Accessor ID of another token. The token of the request must be allowed to read tokens.',
    },
    ...serverFlags,
  ],
  mistakenCode: unknownCode,
  async run(invocation) {
    const [asked, name] = invocation.args
    const surplus = surplusOperands(invocation, 2)
    const cannot = (why: string): number => {
      failed(invocation, `Error: ${why}`)
      return unknownCode
    }
    if (asked === undefined || surplus !== undefined) {
      misused(invocation, surplus ?? 'Give the right in question: RESOURCE:RIGHT [NAME]')
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

export const statusCommand: CliCommand = {
  path: ['acl', 'status'],
  summary: 'Show the state of access control in the datacenter',
  operands: '',
  about:
    'Shows its mode, the servers that keep it in legacy mode, the tokens that are left to migrate, and replication.',
  flags: serverFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { standing } = await import('../acl/acl-standing.ts')
    const found = await standing(new ApiClient(invocation))
    if (!found.ok) return failed(invocation, `Error reading the status: ${found.error}`)
    invocation.terminal.out(formatTable(found.value))
    return 0
  },
}

/** Runs a command that takes no operands and asks for tokens and policies. */
export async function withAcl(invocation: Invocation, act: (api: AclApi) => Promise<number>): Promise<number> {
  const surplus = surplusOperands(invocation, 0)
  if (surplus !== undefined) return misused(invocation, surplus)
  const { AclApi } = await import('../acl/acl-api.ts')
  return act(new AclApi(new ApiClient(invocation)))
}
