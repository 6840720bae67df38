import type { Breakage } from './breakage.ts'
import { agentBreakages } from './table/agent.ts'
import { cliBreakages } from './table/cli.ts'
import { configurationBreakages } from './table/configuration.ts'
import { dnsBreakages } from './table/dns.ts'
import { keyBreakages } from './table/keys.ts'
import { memberBreakages } from './table/members.ts'
import { removedOptionBreakages } from './table/removed-options.ts'
import { telemetryBreakages } from './table/telemetry.ts'

/** All breakages, one for each statement that has one. */
export const breakages: readonly Breakage[] = [
  agentBreakages,
  cliBreakages,
  configurationBreakages,
  dnsBreakages,
  keyBreakages,
  memberBreakages,
  removedOptionBreakages,
  telemetryBreakages,
].flat()

/** Those that every run of the tests tries: from several areas, each found within seconds. */
export const sample: readonly string[] = ['CFG-016', 'KV-002']
