import { AccessHistory } from '../../../../sim/checkers/access/access-history.ts'
import { AccessMode } from '../../../../sim/checkers/access/access-mode.ts'
import { TokenMigration } from '../../../../sim/checkers/access/token-migration.ts'
import { CleanDeath } from '../../../../sim/checkers/clean-death.ts'
import { MeshRotation } from '../../../../sim/checkers/mesh/mesh-rotation.ts'
import { DeathDetection } from '../../../../sim/checkers/pool/death-detection.ts'
import { GoneMembers } from '../../../../sim/checkers/pool/gone-members.ts'
import { Incarnations } from '../../../../sim/checkers/pool/incarnations.ts'
import { KeptRegistrations } from '../../../../sim/checkers/pool/kept-registrations.ts'
import { lanGossip } from '../../../../src/agent/settings/gossip-timing.ts'
import type { CauseRow } from './row.ts'

/** Laws of the pool, of registrations, of access and of the mesh. */
export const clusterRows: readonly CauseRow[] = [
  [
    'M3',
    [11],
    (judge) => {
      const before = { incarnation: 4, state: 'alive', event: 11 } as const
      new Incarnations(judge).held('s1', 's2', before, { incarnation: 3, state: 'alive' })
    },
  ],
  [
    'M4',
    [11, 12],
    (judge) => {
      const watched = {
        observer: 's1',
        name: 'c1',
        state: 'alive',
        calmSinceUs: 0,
        sinceUs: 0,
        members: 3,
        health: 0,
      } as const
      new DeathDetection(judge).look(1e9, { ...watched, timing: lanGossip, because: [11, 12] })
    },
  ],
  ['M5', [11], (judge) => new GoneMembers(judge).contacted('s1', 's2', 'ping', 11)],
  [
    'E3',
    [11],
    (judge, at) => {
      const law = new KeptRegistrations(judge, () => 0)
      law.booted('c1')
      at(11)
      law.died('c1')
      at(12)
      law.takenOut('c1')
    },
  ],
  [
    'H3',
    [11],
    (judge, at) => {
      const law = new CleanDeath(judge)
      law.booted('s1', 1)
      at(11)
      law.died('s1')
      at(12)
      law.acted('s1', 1, 'writes')
    },
  ],
  [
    'A1',
    [15, 12, 11],
    (judge, at) => {
      const law = new AccessHistory(judge, {
        reachingSinceUs: () => Number.NEGATIVE_INFINITY,
        reachingFirstSinceUs: () => undefined,
      })
      law.settings({ ttlUs: 0, defaultPolicy: 'deny' })
      const token = { accessor: 'x', management: true, legacyRules: undefined, policies: [], isLocal: false }
      at(11)
      law.changed({ atUs: 1, tokens: new Map([['s', token]]), policies: new Map() })
      at(12)
      law.changed({ atUs: 2, tokens: new Map(), policies: new Map() })
      const visit = {
        agent: 'c1',
        datacenter: 'dc1',
        secret: 's',
        what: 'read k',
        needs: [{ resource: 'key', name: 'k', right: 'read' }],
        callUs: 5,
        returnUs: 6,
        calledIn: 15,
      } as const
      law.visited({ ...visit, said: 'allowed' })
    },
  ],
  [
    'A3',
    [11],
    (judge, at) => {
      const law = new AccessMode(judge)
      at(11)
      law.recorded('s1', true)
      at(12)
      law.recorded('s1', true)
      law.recorded('s2', false)
    },
  ],
  [
    'A4',
    [11],
    (judge, at) => {
      const law = new TokenMigration(judge)
      const token = { accessor: 'x', management: true, legacyRules: undefined, policies: [], isLocal: false }
      at(11)
      law.changed({ atUs: 1, tokens: new Map([['s', token]]), policies: new Map() }, true)
      at(12)
      law.changed({ atUs: 2, tokens: new Map([['t', token]]), policies: new Map() }, true)
    },
  ],
  [
    'C5',
    [11],
    (judge, at) => {
      const law = new MeshRotation(judge)
      at(11)
      law.changed([{ id: 4, step: 'begun' } as never])
      at(12)
      law.changed([{ id: 4, step: 'begun' } as never])
      law.rests()
    },
  ],
]
