import { err, type Result } from '../../base/result.ts'
import type { AclApi, Policy } from '../acl/acl-api.ts'
import { failed, misused, serverFlags } from '../api/client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { textFlag } from '../flags/values.ts'
import { readLosses } from '../guards/reads.ts'
import { formatFlag, printListing } from '../listing.ts'
import { withAcl } from './acl.ts'

const meta: CommandFlag = { name: 'meta', kind: 'bool', help: 'Show the hash and the indexes, too.' }
const id: CommandFlag = {
  name: 'id',
  kind: 'text',
  value: '<id>',
  help: 'ID of the policy, or a prefix that no other ID has.',
}
const byName: CommandFlag = {
  name: 'name',
  kind: 'text',
  value: '<name>',
  help: 'Name of the policy, instead of its ID.',
}
const contents: readonly CommandFlag[] = [
  { name: 'description', kind: 'text', value: '<text>', help: 'What the policy is for.' },
  {
    name: 'rules',
    kind: 'text',
    value: '<rules>',
    help: 'Rules of the policy: the text itself, - for standard input, or @FILE.',
  },
  {
    name: 'valid-datacenter',
    kind: 'list',
    value: '<name>',
    help: 'A datacenter in which it is valid. May be repeated. Default: all of them.',
  },
]

export const createPolicyCommand: CliCommand = {
  path: ['acl', 'policy', 'create'],
  summary: 'Create an ACL policy',
  operands: '',
  flags: [
    ...contents,
    {
      name: 'from-token',
      kind: 'text',
      value: '<token>',
      help: 'Take the rules of this legacy token, translated. The token is named by its accessor ID.',
    },
    meta,
    { name: 'name', kind: 'text', value: '<name>', help: 'Name of the policy, which no other policy may have.' },
    { name: 'token-secret', kind: 'bool', help: 'With -from-token: the token is named by its secret ID instead.' },
    ...serverFlags,
  ],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const Name = textFlag(invocation, 'name')
      if (Name === '') return misused(invocation, "Missing require '-name' flag")
      const { rulesOf } = await import('../acl/acl-api.ts')
      const rules = await rulesOf(invocation)
      if (!rules.ok) return failed(invocation, `Error processing rules: ${rules.error}`)
      const { description: Description = '', datacenters } = given(invocation)
      const body = { Name, Description, Rules: rules.value ?? '' }
      const made = await api.createPolicy(datacenters === undefined ? body : { ...body, Datacenters: datacenters })
      if (!made.ok) return failed(invocation, `Failed to create new policy: ${made.error}`)
      return showPolicy(invocation, made.value)
    }),
}

export const listPoliciesCommand: CliCommand = {
  path: ['acl', 'policy', 'list'],
  summary: 'List ACL policies',
  operands: '',
  flags: [formatFlag, meta, ...serverFlags],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const all = await api.policies()
      if (!all.ok) return failed(invocation, `Failed to retrieve the policy list: ${all.error}`)
      const { policyStubText } = await import('../acl/acl-text.ts')
      const isMeta = invocation.flags.get('meta') === true
      printListing(invocation, [...all.value], all.value.map((policy) => policyStubText(policy, isMeta)).join(''))
      return 0
    }),
}

export const readPolicyCommand: CliCommand = {
  path: ['acl', 'policy', 'read'],
  summary: 'Read an ACL policy',
  operands: '',
  flags: [id, meta, byName, ...serverFlags],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const policyId = await givenPolicy(invocation, api)
      if (!policyId.ok) return failed(invocation, policyId.error)
      const read = await api.policy(policyId.value)
      if (!read.ok) return failed(invocation, `Error reading policy ${JSON.stringify(policyId.value)}: ${read.error}`)
      return showPolicy(invocation, read.value)
    }),
}

export const updatePolicyCommand: CliCommand = {
  path: ['acl', 'policy', 'update'],
  summary: 'Update an ACL policy',
  operands: '',
  about: 'Settings that are not given stay as they are, except with -no-merge. With -id, -name is the new name.',
  flags: [
    ...contents,
    id,
    meta,
    { name: 'name', kind: 'text', value: '<name>', help: 'New name of the policy; without -id, its present name.' },
    { name: 'no-merge', kind: 'bool', help: 'Empty the settings that are not given.' },
    ...serverFlags,
  ],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const policyId = await givenPolicy(invocation, api)
      if (!policyId.ok) return failed(invocation, policyId.error)
      const { rulesOf } = await import('../acl/acl-api.ts')
      const rules = await rulesOf(invocation)
      if (!rules.ok) return failed(invocation, `Error processing rules: ${rules.error}`)
      const quoted = JSON.stringify(policyId.value)
      const before = invocation.flags.get('no-merge') === true ? undefined : await api.policy(policyId.value)
      if (before?.ok === false) return failed(invocation, `Error reading policy ${quoted}: ${before.error}`)
      const { description, datacenters } = given(invocation)
      const old = before?.value
      const done = await api.updatePolicy(policyId.value, {
        ID: policyId.value,
        Name: textFlag(invocation, 'name') || (old?.Name ?? ''),
        Description: description ?? old?.Description ?? '',
        Rules: rules.value ?? old?.Rules ?? '',
        Datacenters: datacenters ?? old?.Datacenters ?? [],
      })
      if (!done.ok) return failed(invocation, `Error updating policy ${quoted}: ${done.error}`)
      invocation.terminal.out('Policy updated successfully\n')
      return showPolicy(invocation, done.value)
    }),
}

export const deletePolicyCommand: CliCommand = {
  path: ['acl', 'policy', 'delete'],
  summary: 'Delete an ACL policy',
  operands: '',
  flags: [id, byName, ...serverFlags],
  guard: {
    when: 'tokens are linked to the policy',
    says: 'policy … is linked to … tokens, and its rights end for them: …',
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/data-losses.ts')).unlinkedTokens(reads, invocation),
      ),
  },
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const policyId = await givenPolicy(invocation, api)
      if (!policyId.ok) return failed(invocation, policyId.error)
      const quoted = JSON.stringify(policyId.value)
      const gone = await api.deletePolicy(policyId.value)
      if (!gone.ok) return failed(invocation, `Error deleting policy ${quoted}: ${gone.error}`)
      invocation.terminal.out(`Policy ${quoted} deleted successfully\n`)
      return 0
    }),
}

async function givenPolicy(invocation: Invocation, api: AclApi): Promise<Result<string, string>> {
  const [policyId, name] = [textFlag(invocation, 'id'), textFlag(invocation, 'name')]
  if (policyId === '' && name === '') return err('Must specify either the -id or -name parameters')
  const found = policyId === '' ? await api.policyIdByName(name) : await api.policyIdOf(policyId)
  return found.ok ? found : err(`Error determining policy ID: ${found.error}`)
}

function given({ flags }: Invocation): {
  readonly description: string | undefined
  readonly datacenters: readonly string[] | undefined
} {
  const [description, datacenters] = [flags.get('description'), flags.get('valid-datacenter')]
  return {
    description: typeof description === 'string' ? description : undefined,
    datacenters: Array.isArray(datacenters) ? datacenters : undefined,
  }
}

async function showPolicy(invocation: Invocation, policy: Policy): Promise<number> {
  const { policyText } = await import('../acl/acl-text.ts')
  invocation.terminal.out(policyText(policy, invocation.flags.get('meta') === true))
  return 0
}
