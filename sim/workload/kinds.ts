import { askers } from './askers.ts'
import { clients } from './clients.ts'
import { comparers } from './comparing/kind.ts'
import { events } from './events/kind.ts'
import { heartbeats } from './heartbeats.ts'
import { hostiles } from './hostile-members.ts'
import { intentions } from './intentions.ts'
import type { WorkloadKind } from './kind.ts'
import { locks } from './locks.ts'
import { proxies } from './mesh-proxies.ts'
import { tunnels } from './mesh-tunnels.ts'
import { mistakes } from './mistakes/kind.ts'
import { owners } from './own/owner-groups.ts'
import { receivers } from './receivers/kind.ts'
import { recursors } from './recursors/kind.ts'
import { registrations } from './registrations.ts'
import { watchers } from './service-watcher.ts'
import { editors } from './token-editors.ts'
import { visitors } from './visitors.ts'
import { readers } from './waiting-readers.ts'

/** Every kind of workload, by its key in scenario files, in the order of the language page. */
export const workloadKinds = {
  workload: clients,
  heartbeats,
  locks,
  watchers,
  visitors,
  editors,
  proxies,
  tunnels,
  registrations,
  readers,
  comparers,
  askers,
  owners,
  intentions,
  events,
  hostiles,
  mistakes,
  receivers,
  recursors,
}

export type WorkloadKey = keyof typeof workloadKinds

/** The same kinds, in the order in which their machines are set up. */
export const kindsInOrder: readonly (readonly [WorkloadKey, WorkloadKind])[] = [false, true].flatMap((isLast) =>
  (Object.keys(workloadKinds) as WorkloadKey[]).flatMap((key) =>
    workloadKinds[key].isLast === isLast ? [[key, workloadKinds[key]] as const] : [],
  ),
)

type Schemas = { readonly [Key in WorkloadKey]: (typeof workloadKinds)[Key]['schema'] }

/** Their keys of a scenario file. */
export const workloadShape = Object.fromEntries(
  Object.entries(workloadKinds).map(([key, { schema }]) => [key, schema]),
) as Schemas
