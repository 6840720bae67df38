import { aclFeature } from '../../features/acl/feature.ts'
import { agentFeature } from '../../features/agent/feature.ts'
import { catalogFeature } from '../../features/catalog/feature.ts'
import { connectFeature } from '../../features/connect/feature.ts'
import type { Feature } from '../../features/contract/manifest.ts'
import { coordinateFeature } from '../../features/coordinate/feature.ts'
import { eventFeature } from '../../features/event/feature.ts'
import { healthFeature } from '../../features/health/feature.ts'
import { intentionFeature } from '../../features/intention/feature.ts'
import { internalFeature } from '../../features/internal/feature.ts'
import { keyringFeature } from '../../features/keyring/feature.ts'
import { kvFeature } from '../../features/kv/feature.ts'
import { operatorFeature } from '../../features/operator/feature.ts'
import { queryFeature } from '../../features/query/feature.ts'
import { sessionFeature } from '../../features/session/feature.ts'
import { snapshotFeature } from '../../features/snapshot/feature.ts'
import { statusFeature } from '../../features/status/feature.ts'
import { txnFeature } from '../../features/txn/feature.ts'

/** All features of an agent. */
export const features: readonly Feature[] = [
  aclFeature,
  agentFeature,
  catalogFeature,
  connectFeature,
  coordinateFeature,
  eventFeature,
  healthFeature,
  intentionFeature,
  keyringFeature,
  internalFeature,
  kvFeature,
  operatorFeature,
  queryFeature,
  sessionFeature,
  snapshotFeature,
  statusFeature,
  txnFeature,
]
