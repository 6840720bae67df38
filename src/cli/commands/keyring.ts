import { base64, utf8 } from '../../base/bytes.ts'
import { ApiClient, clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand, Invocation } from '../command.ts'
import { readLosses } from '../guards/reads.ts'
import { formatFlag, isTable, printListing } from '../listing.ts'

/** The field draws 16 bytes. Reference: command-line.md#command-keygen. */
const keyBytes = 16

export const keygenCommand: CliCommand = {
  path: ['keygen'],
  summary: 'Generates a new encryption key',
  operands: '',
  about: 'For encrypt in the configuration of the first agents, or for keyring -install.',
  flags: [],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    invocation.terminal.out(`${base64(invocation.env.crypto.randomBytes(keyBytes, 'gossip key'))}\n`)
    return 0
  },
}

const actions = [
  { flag: 'list', method: 'GET', progress: '==> Gathering installed encryption keys...' },
  { flag: 'install', method: 'POST', progress: '==> Installing new gossip encryption key...' },
  { flag: 'use', method: 'PUT', progress: '==> Changing primary gossip encryption key...' },
  { flag: 'remove', method: 'DELETE', progress: '==> Removing gossip encryption key...' },
] as const

export const keyringCommand: CliCommand = {
  path: ['keyring'],
  summary: 'Manages gossip layer encryption keys',
  operands: '',
  about:
    'To change the key: install the new one, use it, remove the old one. A step fails unless every member confirms it: repeat it until it succeeds, then take the next.',
  flags: [
    formatFlag,
    { name: 'list', kind: 'bool', help: 'List the keys and how many members have each.' },
    {
      name: 'install',
      kind: 'text',
      value: '<key>',
      help: 'Install this key on all members, so that they can decrypt with it.',
    },
    { name: 'use', kind: 'text', value: '<key>', help: 'Make all members encrypt with this key.' },
    { name: 'remove', kind: 'text', value: '<key>', help: 'Remove this key from all members.' },
    {
      name: 'relay-factor',
      kind: 'integer',
      value: '<n>',
      help: 'Number of members that relay each answer, 0 to 5. Default: 0.',
    },
    ...clientFlags,
  ],
  guard: {
    when: '`-remove`, and members may have no other key',
    says: 'in the LAN pool of … … of … members have this key, and at most … have the same other one: …',
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/data-losses.ts')).keylessMembers(reads, invocation),
      ),
  },
  async run(invocation) {
    const { flags, terminal } = invocation
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const chosen = actions.filter(({ flag }) => (flags.get(flag) ?? false) !== false)
    const [action] = chosen
    if (action === undefined || chosen.length !== 1) {
      return misused(invocation, 'Exactly one of -list, -install, -use and -remove must be given.')
    }
    if (action.flag !== 'list' || isTable(invocation)) terminal.out(`${action.progress}\n`)
    const relays = flags.get('relay-factor')
    const query = relays === undefined ? [] : [['relay-factor', String(relays)] as const]
    const key = flags.get(action.flag)
    const body = typeof key === 'string' ? utf8(JSON.stringify({ Key: key })) : undefined
    const answer = await new ApiClient(invocation).expect(action.method, '/v1/operator/keyring', query, body)
    if (!answer.ok) return failed(invocation, `error: ${answer.error}`)
    return action.flag === 'list' ? printKeys(invocation, answer.value) : 0
  },
}

async function printKeys(invocation: Invocation, answer: Uint8Array): Promise<number> {
  const { readKeyrings } = await import('../api/answers.ts')
  const rings = readKeyrings(answer)
  if (rings === undefined) return failed(invocation, 'error: the answer is not a list of keys')
  const table = rings.map(({ WAN, Datacenter, Keys, NumNodes }) => {
    const keys = Object.entries(Keys).map(([key, members]) => `  ${key} [${members}/${NumNodes}]\n`)
    return `\n${WAN ? 'WAN' : `${Datacenter} (LAN)`}:\n${keys.join('')}`
  })
  printListing(invocation, [...rings], table.join(''))
  return 0
}
