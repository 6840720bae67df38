import { describe, it } from 'vitest'
import { hostWorld } from '../env/host-world.ts'
import type { Law, LawWorld } from '../env/law-world.ts'
import { simWorld } from '../env/sim-world.ts'
import { recursionLaws } from './recursion-laws.ts'

const lawsOf = (world: LawWorld): Law => {
  return (title, look) => it(title, () => world.look(look))
}

describe('recursors in the simulator', () => recursionLaws(lawsOf(simWorld(undefined))))

describe('recursors on Node', () => recursionLaws(lawsOf(hostWorld(undefined))))
