import { textOf } from '../../base/bytes.ts'
import { inputBytesMax } from '../../env/terminal.ts'
import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { dataOperand } from '../flags/data-operand.ts'

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
 * By their names on the command line, what the agent calls them. Reference: access-control.md#agent-token-slots,
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
  summary: 'Give the agent a token to go by',
  operands: 'TYPE TOKEN',
  about: 'TYPE is default, agent, master or replication. An agent that restarts goes by its configuration again.',
  flags: serverFlags,
  async run(invocation) {
    const [type, token] = invocation.args
    const surplus = surplusOperands(invocation, 2)
    if (surplus !== undefined) return misused(invocation, `Error! ${surplus}`)
    if (type === undefined) return misused(invocation, 'Error! Missing TYPE and TOKEN arguments')
    if (token === undefined) return misused(invocation, 'Error! Missing TOKEN argument')
    const kind = agentTokens.get(type)
    if (kind === undefined) return failed(invocation, 'Unknown token type')
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
  about: 'RULES is the text itself, - for standard input, or @FILE; or a token, where one of the two flags says so.',
  flags: [
    { name: 'token-accessor', kind: 'bool', help: 'RULES is the accessor ID of a legacy token: its rules are meant.' },
    { name: 'token-secret', kind: 'bool', help: 'RULES is the secret ID of a legacy token: its rules are meant.' },
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
    const { AclApi } = await import('../acl/acl-api.ts')
    const { accessorOfToken } = await import('../acl/legacy-rules.ts')
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
