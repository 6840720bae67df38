import { describe, it } from 'vitest'
import { hostWorld } from '../env/host-world.ts'
import type { Law, LawWorld } from '../env/law-world.ts'
import { simWorld } from '../env/sim-world.ts'
import { listenerLaws, patienceLaws } from './listener-laws.ts'

const lawsOf = (world: LawWorld): Law => {
  return (title, look) => it(title, () => world.look(look))
}

describe('DNS listeners in the simulator', () => {
  const law = lawsOf(simWorld(undefined))
  listenerLaws(law)
  patienceLaws(law)
})

describe('DNS listeners on Node', () => listenerLaws(lawsOf(hostWorld(undefined))))
