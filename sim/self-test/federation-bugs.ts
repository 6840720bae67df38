import { inConnect, patchesOf } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const joins = 'datacenters-join'

/** Bugs of two datacenters that join one mesh. */
export const federationBugs: readonly PlantedBug[] = [
  {
    row: 115,
    name: 'former-mesh-refused',
    about: 'as soon as a datacenter joins, leaves of its own former trust domain are no longer accepted',
    patches: [
      patchesOf('src/pki')('trust-domains.js', 'formerIds: [...formerIds]', 'formerIds: [...formerIds].slice(0, 0)'),
    ],
    hunt: joins,
    foundBy: ['scenario'],
  },
  {
    row: 116,
    name: 'own-root-forgotten',
    about: 'a datacenter that joins drops its own root at once, while leaves under it are in use',
    patches: [
      inConnect(
        'federation/federation-commands.js',
        'put(tx, { ...before, active: false, replacedMs: nowMs, intermediates: [] });',
        'before.of === "" ? removeRoot(tx, before.id) : put(tx, { ...before, active: false, replacedMs: nowMs, intermediates: [] });',
      ),
    ],
    hunt: joins,
    foundBy: ['C1', 'C3'],
  },
  {
    row: 117,
    name: 'joined-without-crossing',
    about: 'the crossing from the root of the primary to the own root does not come with leaves',
    patches: [
      inConnect(
        'federation/federation-commands.js',
        'if (crossing !== null && isLeft && before !== undefined && active !== undefined)',
        'if (crossing !== null && !isLeft && before !== undefined && active !== undefined)',
      ),
    ],
    hunt: joins,
    foundBy: ['C1', 'C2'],
  },
  {
    row: 118,
    name: 'joined-too-early',
    about: 'a datacenter joins while one of its servers does not support that yet',
    patches: [
      inConnect(
        'federation/joining.js',
        'if (!isJoined && (!federation.joins || federation.missing().length > 0))',
        'if (!isJoined && (!federation.joins || federation.missing().length > 3))',
      ),
    ],
    hunt: joins,
    foundBy: ['scenario'],
  },
  {
    row: 119,
    name: 'authority-not-recorded',
    about: 'the primary does not record the expiry of an authority that it signs for another datacenter',
    patches: [
      inConnect(
        'federation/intermediates.js',
        '{ rootId: root.id, datacenter, count: 1, expiresMs: endMs }',
        '{ rootId: root.id, datacenter, count: 1, expiresMs: nowMs }',
      ),
    ],
    hunt: joins,
    foundBy: ['C1', 'C3'],
  },
  {
    row: 120,
    name: 'authority-never-renewed',
    about: 'the authority below the root of the primary is replaced only when the root changes',
    patches: [
      inConnect('federation/joining.js', 'return isLong && isWhole && hasSame ?', 'return isLong !== undefined ?'),
    ],
    hunt: joins,
    foundBy: ['C1', 'C6', 'scenario'],
  },
  {
    row: 121,
    name: 'own-trust-domain-kept',
    about: 'a datacenter that joins takes over the roots, and keeps its own trust domain',
    patches: [
      inConnect(
        'federation/federation-commands.js',
        'tx.put(authorityTable, Object.freeze({ ...kept, clusterId, trustDomain, primary, modifyIndex: tx.index }));',
        'tx.put(authorityTable, Object.freeze({ clusterId, trustDomain, ...kept, primary, modifyIndex: tx.index }));',
      ),
    ],
    hunt: joins,
    foundBy: ['C1', 'scenario'],
  },
]
