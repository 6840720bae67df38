import { describe } from 'vitest'
import { poolLaws } from './pool-laws.ts'
import { hostWorld, simWorld } from './worlds.ts'

describe('pools on the sockets of this machine', () => poolLaws(hostWorld))
describe('pools on the simulated network', () => poolLaws(simWorld))
