import { describe, it } from 'vitest'
import { hostWorld } from '../env/host-world.ts'
import { simWorld } from '../env/sim-world.ts'
import { proxyLaws } from './proxy-laws.ts'

describe.each([
  ['on real sockets', hostWorld(undefined)],
  ['in the simulator', simWorld(undefined)],
] as const)('a proxy of the mesh, %s,', (_, world) => {
  proxyLaws((title, law) => it(title, () => world.look(law)))
})
