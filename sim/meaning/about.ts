import { textOfByteString } from '../../src/base/bytes.ts'
import { isList, isRecord } from '../../src/base/shape.ts'
import { type About, cut, type Subject, shownMax } from '../report/meaning.ts'

/** Members of requests and commands, and the kind of thing that they name. Values and secrets are not among them. */
const subjectOf: Readonly<Record<string, Subject>> = {
  key: 'key',
  prefix: 'prefix',
  service: 'service',
  serviceName: 'service',
  node: 'node',
  nodeName: 'node',
  session: 'session',
  check: 'check',
  checkId: 'check',
  checkName: 'check',
  query: 'query',
  event: 'event',
  name: 'name',
  id: 'id',
  kind: 'kind',
  policy: 'name',
  state: 'state',
  source: 'source',
  destination: 'destination',
  action: 'action',
}

/** Lists whose items are things themselves. */
const thingLists: Readonly<Record<string, Subject>> = { places: 'place' }

/** Lists whose items are examined: the operations of a transaction, several offers at once. */
const listNames: ReadonlySet<string> = new Set(['operations', 'ops', 'offers', 'checks', 'sessions'])

/** What a bare `id` identifies, by the first part of the method or command, in lower case. */
const areas: Readonly<Record<string, Subject>> = {
  session: 'session',
  query: 'query',
  catalog: 'node',
}

/** Members that contain a secret, by the method or by its first part, in lower case. */
const secretsOf: Readonly<Record<string, Subject>> = {
  // The ID of a legacy token is its secret.
  acl: 'id',
  // The key encrypts the gossip of the pool.
  'internal.keyringoperation': 'key',
}

/** Maximum depth of nested members: the node of a registration, its service, the operation of a transaction. */
const depthMax = 2

/**
 * The things that a request or a command names; undefined if it names none. `method`: `KV.Apply`, `kv.put`. The body is
 * the output of the agent's decoder; only its members are examined.
 */
export function aboutOf(method: string, body: unknown): About | undefined {
  const found = new Map<Subject, string[]>()
  gather(body, found, 0)
  const called = method.toLowerCase()
  const part = called.slice(0, called.indexOf('.'))
  const secret = secretsOf[called] ?? secretsOf[part]
  if (secret !== undefined) found.delete(secret)
  const area = areas[part]
  const ids = found.get('id')
  if (ids !== undefined && area !== undefined && !found.has(area)) {
    found.delete('id')
    found.set(area, ids)
  }
  if (found.size === 0) return undefined
  const entries = [...found].map(([subject, texts]) => [subject, texts.length === 1 ? texts[0] : texts] as const)
  return Object.fromEntries(entries)
}

function gather(body: unknown, found: Map<Subject, string[]>, depth: number): void {
  if (!isRecord(body) || depth > depthMax) return
  for (const [member, value] of Object.entries(body)) {
    const subject = Object.hasOwn(subjectOf, member) ? subjectOf[member] : undefined
    if (subject !== undefined) take(subject, value, found, depth)
    else if (isList(value) && listNames.has(member)) {
      for (const item of value.slice(0, shownMax)) gather(item, found, depth + 1)
    } else if (isList(value) && thingLists[member] !== undefined) {
      for (const item of value.slice(0, shownMax)) take(thingLists[member], item, found, depth)
    }
  }
}

function take(subject: Subject, value: unknown, found: Map<Subject, string[]>, depth: number): void {
  if (typeof value === 'string') add(subject, value, found)
  else if (isRecord(value)) {
    const { name, namespace } = value
    if (typeof name === 'string' && typeof namespace === 'string') return add(subject, `${namespace}/${name}`, found)
    const named = name ?? value['node'] ?? value['service'] ?? value['id']
    if (typeof named === 'string') add(subject, named, found)
    else gather(value, found, depth + 1)
  }
}

function add(subject: Subject, value: string, found: Map<Subject, string[]>): void {
  if (value === '') return
  // Keys are sent as byte strings, with one character for each byte.
  const text = cut(subject === 'key' || subject === 'prefix' ? textOfByteString(value) : value)
  const texts = found.get(subject)
  if (texts === undefined) found.set(subject, [text])
  else if (texts.length < shownMax && !texts.includes(text)) texts.push(text)
}
