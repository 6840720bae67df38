import type { ProgramCall, ProgramRun } from '../../../sim/env/machine.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import type { SimNode } from '../../../sim/simulation/node.ts'
import { Simulation } from '../../../sim/simulation/simulation.ts'
import type { Platform } from '../../../sim/world/platform.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { TlsMaterial } from '../host/tls-material.ts'
import type { LawWorld, Place } from './law-world.ts'
import { scripts, shell } from './process-laws.ts'

/** More virtual time than any law takes. */
const lawLimitMs = 120_000
const seedsOfLaws = ['1', '2', '3']
const seedsOfCrashes = Array.from({ length: process.env['SVC_TEST_LONG'] === '1' ? 500 : 20 }, (_, at) => `crash-${at}`)

/** Two machines on a simulated network, looked at with several seeds. `newPlatform`: Node's, unless it is given. */
export function simWorld(tls: TlsMaterial | undefined, newPlatform: () => Platform = createPlatform): LawWorld {
  return {
    look: async (law) => {
      for (const seed of seedsOfLaws) {
        await withMachines({ seed, tls, newPlatform }, async (simulation, node, place) => {
          await simulation.play(node, () => law(place()), lawLimitMs)
          failIfFailed(simulation)
        })
      }
    },
    crash: {
      look: async (before, after) => {
        for (const seed of seedsOfCrashes) {
          await withMachines({ seed, tls, newPlatform }, async (simulation, node, place) => {
            await simulation.play(node, () => before(place()), lawLimitMs)
            node.crash()
            await simulation.play(node, () => after(place()), lawLimitMs)
            failIfFailed(simulation)
          })
        }
      },
    },
  }
}

function failIfFailed(simulation: Simulation): void {
  const { failure } = simulation
  if (failure !== undefined) throw failure.error ?? new Error(failure.message)
}

interface World {
  readonly seed: string
  readonly tls: TlsMaterial | undefined
  readonly newPlatform: () => Platform
}

async function withMachines(
  { seed, tls, newPlatform }: World,
  use: (simulation: Simulation, node: SimNode, place: () => Place) => Promise<void>,
): Promise<void> {
  const platform = newPlatform()
  try {
    const startWallMs = Date.now()
    const simulation = new Simulation({ seed, platform, startWallMs, link: { latencyMs: [0.1, 2] }, shuffleTies: true })
    const node = simulation.addNode({ name: 'a', host: '10.0.0.1', directories: ['/law'] })
    const other = simulation.addNode({ name: 'b', host: '10.0.0.2' })
    node.programs.set(shell, script)
    other.boot(() => undefined)
    const place = (): Place => ({
      env: node.env,
      peer: other.env,
      host: '10.0.0.1',
      peerHost: '10.0.0.2',
      port: 7_000,
      directory: '/law',
      fullFile: async () => {
        node.disk.setOptions({ quotaBytes: 0 })
        return '/law/full'
      },
      tls,
    })
    await use(simulation, node, place)
  } finally {
    platform.close()
  }
}

function script({ argv, input, environment }: ProgramCall): ProgramRun {
  switch (argv[2]) {
    case scripts.exits:
      return { afterMs: 1, exit: 3 }
    case scripts.prints:
      return { afterMs: 1, exit: 0, output: 'outerr' }
    case scripts.sleeps:
      return { afterMs: 60_000, exit: 0 }
    case scripts.echoes:
      return { afterMs: 1, exit: 0, output: textOf(input) }
    case scripts.tells:
      return { afterMs: 1, exit: 0, output: environment.get('SVC_WORD') ?? '' }
    case scripts.printsLate:
      return { afterMs: 200, exit: 0, output: 'late' }
    case scripts.dies:
      return { afterMs: 1, exit: 'SIGKILL' }
    default:
      return { afterMs: 1, exit: 127 }
  }
}
