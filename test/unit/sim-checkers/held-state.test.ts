import { describe, expect, it } from 'vitest'
import { heldOtherwise, heldState } from '../../../sim/checkers/held-state.ts'
import { aclFeature } from '../../../src/features/acl/feature.ts'
import { type LegacyType, managementLink, type TokenRow } from '../../../src/features/acl/model.ts'
import { tokensTable } from '../../../src/features/acl/tables.ts'
import { catalogFeature } from '../../../src/features/catalog/feature.ts'
import { checksTable, nodesTable, servicesTable } from '../../../src/features/catalog/tables.ts'
import { connectFeature } from '../../../src/features/connect/feature.ts'
import type { AuthorityRow, RootRow } from '../../../src/features/connect/model.ts'
import { authorityTable, rootsTable } from '../../../src/features/connect/tables.ts'
import { intentionFeature } from '../../../src/features/intention/feature.ts'
import type { IntentionRow } from '../../../src/features/intention/model.ts'
import { intentionsTable } from '../../../src/features/intention/tables.ts'
import { kvFeature } from '../../../src/features/kv/feature.ts'
import { type KvRow, kvValue } from '../../../src/features/kv/model.ts'
import { kvTable } from '../../../src/features/kv/tables.ts'
import { sessionFeature } from '../../../src/features/session/feature.ts'
import type { SessionRow } from '../../../src/features/session/model.ts'
import { sessionsTable } from '../../../src/features/session/tables.ts'
import type { CatalogCheck, CatalogNode, CatalogService } from '../../../src/model/catalog.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { WriteTransaction } from '../../../src/store/types.ts'

const features = [aclFeature, catalogFeature, connectFeature, intentionFeature, kvFeature, sessionFeature]
const stamps = { createIndex: modifyIndexOf(1), modifyIndex: modifyIndexOf(1) }

const node: CatalogNode = { id: '', node: 'n1', address: '10.0.0.1', taggedAddresses: null, meta: null, ...stamps }
const service: CatalogService = {
  node: 'n1',
  kind: '',
  id: 'web-1',
  service: 'web',
  tags: ['blue'],
  address: '',
  meta: null,
  port: 80,
  weights: { passing: 1, warning: 1 },
  enableTagOverride: false,
  ...stamps,
}
const check: CatalogCheck = {
  node: 'n1',
  checkId: 'ink',
  name: 'Ink',
  status: 'passing',
  notes: '',
  output: '',
  serviceId: '',
  serviceName: '',
  serviceTags: [],
  definition: null,
  ...stamps,
}
const key: KvRow = {
  key: 'k',
  value: kvValue(new Uint8Array([1])),
  flags: 2n ** 63n,
  lockIndex: 0,
  session: '',
  ...stamps,
}
const session: SessionRow = {
  id: 'aaaaaaaa-0000-4000-8000-000000000001',
  name: '',
  node: 'n1',
  checks: ['ink'],
  behaviour: 'release',
  lockDelayNs: 1,
  ttl: '',
  ttlMs: 0,
  ...stamps,
}
const token: TokenRow = {
  secret: 'marker-secret',
  accessor: '',
  description: '',
  type: 'client',
  rules: 'key "" { policy = "read" }',
  policies: [],
  local: false,
  createdMs: 0,
  hash: '',
  ...stamps,
}
const root: RootRow = {
  id: 'aa:bb',
  name: 'root',
  serialNumber: '1',
  signingKeyId: 'cc',
  clusterId: 'x',
  notBeforeMs: 0,
  notAfterMs: 1,
  certificate: 'pem',
  provider: 'svc',
  of: '',
  active: true,
  generation: 1,
  replacedMs: 0,
  intermediates: [],
  ...stamps,
}
const authority: AuthorityRow = {
  provider: 'svc',
  options: {},
  clusterId: 'x',
  trustDomain: 'x.svc',
  primary: '',
  ...stamps,
}
const intention: IntentionRow = {
  id: 'aaaaaaaa-0000-4000-8000-000000000002',
  source: { namespace: 'default', name: 'web' },
  destination: { namespace: 'default', name: 'db' },
  action: 'allow',
  description: '',
  meta: [],
  defaultAddress: '',
  defaultPort: 0,
  createdMs: 0,
  updatedMs: 0,
  ...stamps,
}

/** What a state of a row of everything holds, after this is written, too. */
function heldWith(write: (tx: WriteTransaction) => void = () => {}) {
  const store = new Store(features.flatMap(({ tables = [] }) => tables))
  store.apply(modifyIndexOf(1), (tx) => {
    tx.put(nodesTable, node)
    tx.put(servicesTable, service)
    tx.put(checksTable, check)
    tx.put(kvTable, key)
    tx.put(sessionsTable, session)
    tx.put(tokensTable, token)
    tx.put(rootsTable, root)
    tx.put(authorityTable, authority)
    tx.put(intentionsTable, intention)
  })
  store.apply(modifyIndexOf(2), write)
  return heldState(store.read())
}

function differenceAfter(write: (tx: WriteTransaction) => void): string | undefined {
  return heldOtherwise(heldWith(), heldWith(write))
}

describe('what servers hold', () => {
  it('is the same where nothing was written, and of everything there is something', () => {
    expect(differenceAfter(() => {})).toBeUndefined()
    expect([...heldWith()].map(([part, rows]) => [part, rows.size])).toEqual([
      ['catalog', 3],
      ['keys', 1],
      ['sessions', 1],
      ['tokens', 1],
      ['roots', 2],
      ['intentions', 1],
    ])
  })

  it.each<readonly [string, string, (tx: WriteTransaction) => void]>([
    ['catalog', 'a node has another address', (tx) => tx.put(nodesTable, { ...node, address: '10.0.0.2' })],
    ['catalog', 'a service has another tag', (tx) => tx.put(servicesTable, { ...service, tags: ['green'] })],
    ['catalog', 'a check is critical', (tx) => tx.put(checksTable, { ...check, status: 'critical' })],
    ['keys', 'a value is another one', (tx) => tx.put(kvTable, { ...key, value: kvValue(new Uint8Array([2])) })],
    ['keys', 'flags differ in their last bit', (tx) => tx.put(kvTable, { ...key, flags: 2n ** 63n + 1n })],
    ['keys', 'a key was written again as it was', (tx) => tx.put(kvTable, { ...key, modifyIndex: modifyIndexOf(2) })],
    ['sessions', 'a session has another behaviour', (tx) => tx.put(sessionsTable, { ...session, behaviour: 'delete' })],
    ['tokens', 'a token has other rules', (tx) => tx.put(tokensTable, { ...token, rules: '' })],
    ['tokens', 'a token has all rights', (tx) => tx.put(tokensTable, { ...token, policies: [managementLink] })],
    ['roots', 'a root is no longer active', (tx) => tx.put(rootsTable, { ...root, active: false })],
    [
      'roots',
      'the trust domain is another one',
      (tx) => tx.put(authorityTable, { ...authority, trustDomain: 'y.svc' }),
    ],
    ['intentions', 'what was allowed is denied', (tx) => tx.put(intentionsTable, { ...intention, action: 'deny' })],
  ])('says that %s differ where %s', (part, _, write) => {
    expect(differenceAfter(write)).toMatch(new RegExp(`^${part}: 1 of \\d rows gone, 1 new$`))
  })

  it('says what is gone, and nothing that is secret', () => {
    const told = differenceAfter((tx) => tx.delete(tokensTable, token.secret))
    expect(told).toBe('tokens: 1 of 1 rows gone, 0 new')
    expect(told).not.toContain(token.secret)
  })

  it('is the same where an upgrade adds what it may: accessors, node IDs, and the rights of the master token by a policy', () => {
    expect(
      differenceAfter((tx) => tx.put(tokensTable, { ...token, accessor: session.id, modifyIndex: modifyIndexOf(2) })),
    ).toBeUndefined()
    expect(
      differenceAfter((tx) => tx.put(nodesTable, { ...node, id: session.id, modifyIndex: modifyIndexOf(2) })),
    ).toBeUndefined()
    const master = (type: LegacyType | '', policies: TokenRow['policies']) =>
      heldWith((tx) => tx.put(tokensTable, { ...token, secret: 'root', type, rules: '', policies }))
    expect(heldOtherwise(master('management', []), master('', [managementLink]))).toBeUndefined()
  })
})
