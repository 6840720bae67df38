import { err, ok, type Result } from '../../base/result.ts'
import type { AclApi, Token } from '../acl/acl-api.ts'
import { failed, serverFlags } from '../api/client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'
import { listFlag, textFlag } from '../flags/values.ts'
import { formatFlag, printListing } from '../listing.ts'
import { withAcl } from './acl.ts'

const meta: CommandFlag = { name: 'meta', kind: 'bool', help: 'Show the hash and the indexes, too.' }
const id: CommandFlag = {
  name: 'id',
  kind: 'text',
  value: '<accessor>',
  help: 'Accessor ID of the token, or a prefix that no other has.',
}
const description: CommandFlag = { name: 'description', kind: 'text', value: '<text>', help: 'What the token is for.' }
const policies: readonly CommandFlag[] = [
  {
    name: 'policy-id',
    kind: 'list',
    value: '<id>',
    help: 'A policy, by its ID or a unique prefix of it. May be repeated.',
  },
  { name: 'policy-name', kind: 'list', value: '<name>', help: 'A policy, by its name. May be repeated.' },
]

export const createTokenCommand: CliCommand = {
  path: ['acl', 'token', 'create'],
  summary: 'Create an ACL token',
  operands: '',
  flags: [
    description,
    { name: 'local', kind: 'bool', help: 'The token is valid in this datacenter only.' },
    meta,
    ...policies,
    ...serverFlags,
  ],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const links = await linksOf(invocation, api)
      if (!links.ok) return failed(invocation, links.error)
      if (links.value.length === 0) {
        const message = 'Cannot create a token without specifying -policy-name or -policy-id at least once'
        return failed(invocation, message)
      }
      const { flags } = invocation
      const body = { Description: textFlag(invocation, 'description'), Local: flags.get('local') === true }
      const made = await api.createToken({ ...body, Policies: links.value })
      if (!made.ok) return failed(invocation, `Failed to create new token: ${made.error}`)
      return showToken(invocation, made.value)
    }),
}

export const listTokensCommand: CliCommand = {
  path: ['acl', 'token', 'list'],
  summary: 'List ACL tokens',
  operands: '',
  flags: [formatFlag, meta, ...serverFlags],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const all = await api.tokens()
      if (!all.ok) return failed(invocation, `Failed to retrieve the token list: ${all.error}`)
      const { tokenStubText } = await import('../acl/acl-text.ts')
      const isMeta = invocation.flags.get('meta') === true
      const table = all.value.map((token) => tokenStubText(token, isMeta)).join('\n')
      printListing(invocation, [...all.value], table)
      return 0
    }),
}

export const readTokenCommand: CliCommand = {
  path: ['acl', 'token', 'read'],
  summary: 'Read an ACL token',
  operands: '',
  flags: [id, meta, { name: 'self', kind: 'bool', help: 'The token that this request is made with.' }, ...serverFlags],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      if (invocation.flags.get('self') === true) {
        const own = await api.ownToken()
        return own.ok ? showToken(invocation, own.value) : failed(invocation, `Error reading token: ${own.error}`)
      }
      const accessor = await givenAccessor(invocation, api)
      if (!accessor.ok) return failed(invocation, accessor.error)
      const read = await api.token(accessor.value)
      if (!read.ok) return failed(invocation, `Error reading token ${JSON.stringify(accessor.value)}: ${read.error}`)
      return showToken(invocation, read.value)
    }),
}

export const updateTokenCommand: CliCommand = {
  path: ['acl', 'token', 'update'],
  summary: 'Update an ACL token',
  operands: '',
  about: 'The given policies replace those of the token, except with -merge-policies.',
  flags: [
    description,
    id,
    { name: 'merge-policies', kind: 'bool', help: 'Add the given policies to those of the token.' },
    meta,
    ...policies,
    {
      name: 'upgrade-legacy',
      kind: 'bool',
      help: 'Drop the rules of a legacy token: from now on its policies count.',
    },
    ...serverFlags,
  ],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const accessor = await givenAccessor(invocation, api)
      if (!accessor.ok) return failed(invocation, accessor.error)
      const read = await api.token(accessor.value)
      if (!read.ok) return failed(invocation, `Error when retrieving current token: ${read.error}`)
      const next = await updated(invocation, api, read.value)
      if (!next.ok) return failed(invocation, next.error)
      const done = await api.updateToken(accessor.value, next.value)
      if (!done.ok) return failed(invocation, `Failed to update token ${accessor.value}: ${done.error}`)
      invocation.terminal.out('Token updated successfully.\n')
      return showToken(invocation, done.value)
    }),
}

export const cloneTokenCommand: CliCommand = {
  path: ['acl', 'token', 'clone'],
  summary: 'Clone an ACL token',
  operands: '',
  flags: [description, id, ...serverFlags],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const accessor = await givenAccessor(invocation, api)
      if (!accessor.ok) return failed(invocation, accessor.error)
      const made = await api.cloneToken(accessor.value, textFlag(invocation, 'description'))
      if (!made.ok) return failed(invocation, `Error cloning token: ${made.error}`)
      invocation.terminal.out('Token cloned successfully.\n')
      return showToken(invocation, made.value)
    }),
}

export const deleteTokenCommand: CliCommand = {
  path: ['acl', 'token', 'delete'],
  summary: 'Delete an ACL token',
  operands: '',
  flags: [id, ...serverFlags],
  run: (invocation) =>
    withAcl(invocation, async (api) => {
      const accessor = await givenAccessor(invocation, api)
      if (!accessor.ok) return failed(invocation, accessor.error)
      const quoted = JSON.stringify(accessor.value)
      const gone = await api.deleteToken(accessor.value)
      if (!gone.ok) return failed(invocation, `Error deleting token ${quoted}: ${gone.error}`)
      invocation.terminal.out(`Token ${quoted} deleted successfully\n`)
      return 0
    }),
}

async function givenAccessor(invocation: Invocation, api: AclApi): Promise<Result<string, string>> {
  const given = textFlag(invocation, 'id')
  if (given === '') return err('Must specify the -id parameter')
  const accessor = await api.accessorOf(given)
  return accessor.ok ? accessor : err(`Error determining token ID: ${accessor.error}`)
}

type Link = { readonly ID: string } | { readonly Name: string }

/** The servers look names up; IDs may be abbreviated. */
async function linksOf(invocation: Invocation, api: AclApi): Promise<Result<readonly Link[], string>> {
  const links: Link[] = listFlag(invocation, 'policy-name').map((Name) => ({ Name }))
  for (const given of listFlag(invocation, 'policy-id')) {
    const found = await api.policyIdOf(given)
    if (!found.ok) return err(`Error resolving policy ID ${given}: ${found.error}`)
    links.push({ ID: found.value })
  }
  return ok(links)
}

/** The whole token with its changes, because an update replaces all of it. */
async function updated(invocation: Invocation, api: AclApi, token: Token) {
  const { AccessorID, SecretID, Description, Local, Policies, Rules = '' } = token
  const upgrades = invocation.flags.get('upgrade-legacy') === true
  if (upgrades && Rules === '') return err('Cannot use -upgrade-legacy on a non-legacy token')
  const links = await linksOf(invocation, api)
  if (!links.ok) return links
  const isThere = (link: Link): boolean =>
    Policies.some((each) => ('ID' in link ? each.ID === link.ID : each.Name === link.Name))
  const merges = invocation.flags.get('merge-policies') === true
  return ok({
    AccessorID,
    SecretID,
    Description: textFlag(invocation, 'description') || Description,
    Local,
    Policies: merges ? [...Policies, ...links.value.filter((link) => !isThere(link))] : links.value,
    ...(Rules === '' || upgrades ? {} : { Rules }),
  })
}

async function showToken(invocation: Invocation, token: Token): Promise<number> {
  const { tokenText } = await import('../acl/acl-text.ts')
  invocation.terminal.out(tokenText(token, invocation.flags.get('meta') === true))
  return 0
}
