import type { Breakage } from './breakage.ts'
import { configurationBreakages } from './table/configuration.ts'
import { keyBreakages } from './table/keys.ts'

/** All breakages, one for each statement that has one. */
export const breakages: readonly Breakage[] = [configurationBreakages, keyBreakages].flat()

/** Those that every run of the tests tries: from several areas, each found within seconds. */
export const sample: readonly string[] = ['CFG-016', 'KV-002']
