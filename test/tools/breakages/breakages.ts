import type { Breakage } from './breakage.ts'
import { accessBreakages } from './table/access.ts'
import { agentBreakages } from './table/agent.ts'
import { catalogBreakages } from './table/catalog.ts'
import { cliBreakages } from './table/cli.ts'
import { configurationBreakages } from './table/configuration.ts'
import { dnsBreakages } from './table/dns.ts'
import { federationBreakages } from './table/federation.ts'
import { healthBreakages } from './table/health.ts'
import { httpBreakages } from './table/http.ts'
import { keyBreakages } from './table/keys.ts'
import { limitBreakages } from './table/limits.ts'
import { memberBreakages } from './table/members.ts'
import { meshBreakages } from './table/mesh.ts'
import { meshAnswerBreakages } from './table/mesh-answers.ts'
import { queryBreakages } from './table/queries.ts'
import { raftBreakages } from './table/raft.ts'
import { registrationBreakages } from './table/registration.ts'
import { newerReleaseBreakages } from './table/releases-newer.ts'
import { olderReleaseBreakages } from './table/releases-older.ts'
import { removedOptionBreakages } from './table/removed-options.ts'
import { telemetryBreakages } from './table/telemetry.ts'
import { tokenBreakages } from './table/tokens.ts'
import { verbBreakages } from './table/verbs.ts'

/** All breakages, one for each statement that has one. */
export const breakages: readonly Breakage[] = [
  accessBreakages,
  agentBreakages,
  catalogBreakages,
  cliBreakages,
  configurationBreakages,
  dnsBreakages,
  federationBreakages,
  healthBreakages,
  httpBreakages,
  keyBreakages,
  limitBreakages,
  memberBreakages,
  meshAnswerBreakages,
  meshBreakages,
  newerReleaseBreakages,
  olderReleaseBreakages,
  queryBreakages,
  raftBreakages,
  registrationBreakages,
  removedOptionBreakages,
  telemetryBreakages,
  tokenBreakages,
  verbBreakages,
].flat()

/** Those that every run of the tests tries: from several areas, each found within seconds. */
export const sample: readonly string[] = ['CFG-016', 'KV-002']
