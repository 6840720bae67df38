import { accessBugs } from './access-bugs.ts'
import { ageBugs } from './age-bugs.ts'
import { answerBugs } from './answer-bugs.ts'
import { consensusBugs } from './consensus-bugs.ts'
import { copyBugs } from './copy-bugs.ts'
import { detectionBugs } from './detection-bugs.ts'
import { diskBugs } from './disk-bugs.ts'
import { dutyBugs } from './duty-bugs.ts'
import { eventBugs } from './event-bugs.ts'
import { federationBugs } from './federation-bugs.ts'
import { filterBugs } from './filter-bugs.ts'
import { gossipBugs } from './gossip-bugs.ts'
import { identityBugs } from './identity-bugs.ts'
import { intentionBugs } from './intention-bugs.ts'
import { keyBugs } from './key-bugs.ts'
import { lawBugs } from './law-bugs.ts'
import { leakBugs } from './leak-bugs.ts'
import { limitBugs } from './limit-bugs.ts'
import { lockBugs } from './lock-bugs.ts'
import { membershipBugs } from './membership-bugs.ts'
import { meshBugs } from './mesh-bugs.ts'
import { nameBugs } from './name-bugs.ts'
import { operatorBugs } from './operator-bugs.ts'
import type { PlantedBug } from './planted-bug.ts'
import { promiseBugs } from './promise-bugs.ts'
import { providerBugs } from './provider-bugs.ts'
import { queryBugs } from './query-bugs.ts'
import { readerBugs } from './reader-bugs.ts'
import { refusalBugs } from './refusal-bugs.ts'
import { registrationBugs } from './registration-bugs.ts'
import { restoreBugs } from './restore-bugs.ts'
import { rightBugs } from './right-bugs.ts'
import { telemetryBugs } from './telemetry-bugs.ts'
import { thriftBugs } from './thrift-bugs.ts'
import { truthBugs } from './truth-bugs.ts'
import { viewBugs } from './view-bugs.ts'

/**
 * The bugs that implementations of consensus and membership are known for, each planted where this one could have it.
 */
export const plantedBugs: readonly PlantedBug[] = [
  ...consensusBugs,
  ...lockBugs,
  ...answerBugs,
  ...promiseBugs,
  ...dutyBugs,
  ...accessBugs,
  ...copyBugs,
  ...rightBugs,
  ...viewBugs,
  ...refusalBugs,
  ...intentionBugs,
  ...keyBugs,
  ...meshBugs,
  ...restoreBugs,
  ...operatorBugs,
  ...registrationBugs,
  ...readerBugs,
  ...truthBugs,
  ...nameBugs,
  ...filterBugs,
  ...queryBugs,
  ...ageBugs,
  ...eventBugs,
  ...membershipBugs,
  ...identityBugs,
  ...detectionBugs,
  ...providerBugs,
  ...federationBugs,
  ...leakBugs,
  ...diskBugs,
  ...thriftBugs,
  ...telemetryBugs,
  ...gossipBugs,
  ...limitBugs,
  ...lawBugs,
]
