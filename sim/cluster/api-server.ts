import { invariant } from '../../src/base/invariant.ts'
import type { Env } from '../../src/env/env.ts'
import type { HttpRequest, HttpResponse } from '../../src/env/http.ts'
import type { Program } from '../env/machine.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { giveFiles } from './given-files.ts'

/** How an answer may be wrong, for a while. */
const wrongs = [
  'failing',
  'denying',
  'silent',
  'late',
  'half',
  'no list',
  'empty',
  'not ready',
  'only the asker',
  'strangers',
] as const

type Wrong = (typeof wrongs)[number]

const port = 80
const lateMs = 4_000
/** What agents must ask for. */
const target = '/api/v1/namespaces/fleet/pods?labelSelector=app%3Dsvc'
const token = 'pod-token'

/** Puts the files that every pod has on its machine. */
export async function becomePod(env: Env): Promise<void> {
  const there = await env.disk.stat('/etc/pod/token')
  if (!there.ok) await giveFiles(env, '/etc/pod', podFiles)
}

const podFiles: ReadonlyMap<string, string> = new Map([
  ['token', `${token}\n`],
  ['strangers', '# Machines that are gone\n10.0.99.1, 10.0.99.2:8301\n'],
])

interface ApiServerWorld {
  readonly simulation: Simulation
  readonly host: string
  /** The chance that an answer is wrong, until this time. */
  readonly wrong: number
  readonly untilMs: number
  /** The addresses of agents that run, and of all. */
  readonly pods: () => { readonly running: readonly string[]; readonly all: readonly string[] }
}

/** One pod of a list. */
interface Pod {
  readonly address: string
  readonly phase: string
  readonly isReady: boolean
}

/**
 * An API server of Kubernetes, as far as agents ask it for the pods to join, and a program that prints the same
 * addresses. For some time answers are sometimes wrong.
 */
export class ApiServer {
  readonly #world: ApiServerWorld
  readonly #decisions: Decisions
  #asked = 0

  constructor(world: ApiServerWorld) {
    this.#world = world
    this.#decisions = world.simulation.decisions
    world.simulation.addNode({ name: 'api-server', host: world.host }).boot(async (env: Env) => {
      const listener = await env.http.serve({ host: world.host, port }, (request) => this.#answer(env, request))
      invariant(listener.ok, 'a fresh machine has its port')
    })
  }

  /** For `provider=exec`. */
  program(asker: string): Program {
    return () => {
      const wrong = this.#drawn()
      if (wrong === 'failing') return { afterMs: 50, exit: 1, output: 'no credentials\n' }
      if (wrong === 'silent') return { afterMs: 40_000, exit: 0 }
      const pods = this.#listed(asker, wrong).filter(({ isReady }) => isReady)
      return {
        afterMs: wrong === 'late' ? lateMs : 50,
        exit: 0,
        output: pods.map(({ address }) => `${address}\n`).join(''),
      }
    }
  }

  async #answer(env: Env, { method, target: asked, headers, remote }: HttpRequest): Promise<HttpResponse> {
    if (method !== 'GET' || asked !== target) return said(404, 'the server could not find the requested resource')
    if (headers.get('authorization') !== `Bearer ${token}`) return said(401, 'Unauthorized')
    const wrong = this.#drawn()
    if (wrong === 'failing') return said(500, 'etcdserver: request timed out')
    if (wrong === 'denying') return said(403, 'pods is forbidden')
    if (wrong === 'no list') return { ...said(200, ''), body: '{"kind":"Status","items":[{"spec":{}}]}' }
    if (wrong === 'silent') await env.deferred<void>().promise
    if (wrong === 'late') await pause(env, lateMs)
    const list = JSON.stringify({ kind: 'PodList', items: this.#listed(remote.host, wrong).map(podJson) })
    return { ...said(200, ''), body: wrong === 'half' ? list.slice(0, list.length / 2) : list }
  }

  #drawn(): Wrong | undefined {
    const { simulation, wrong, untilMs } = this.#world
    const draws: Draws = this.#decisions.draws('api server', ++this.#asked)
    if (simulation.nowMs >= untilMs || !draws.chance(wrong)) return undefined
    return draws.oneOf(wrongs, (each) => each)
  }

  /** Pods whose agents do not run are listed, too, and are not ready. */
  #listed(asker: string, wrong: Wrong | undefined): readonly Pod[] {
    const { running, all } = this.#world.pods()
    const isReady = wrong !== 'not ready'
    if (wrong === 'empty') return []
    if (wrong === 'only the asker') return [{ address: asker, phase: 'Running', isReady: true }]
    if (wrong === 'strangers') return [{ address: '10.0.99.1', phase: 'Running', isReady: true }]
    return all.map((address, at) => ({
      address,
      phase: isReady || at % 2 > 0 ? 'Running' : 'Pending',
      isReady: isReady && running.includes(address),
    }))
  }
}

function pause(env: Env, ms: number): Promise<void> {
  const deferred = env.deferred<void>()
  env.timers.after(ms, () => deferred.resolve())
  return deferred.promise
}

function podJson({ address, phase, isReady }: Pod): object {
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
  return { status: { phase, podIP: address, hostIP: '10.0.99.9', conditions } }
}

function said(status: number, message: string): HttpResponse {
  return { status, headers: [['Content-Type', 'application/json']], body: JSON.stringify({ kind: 'Status', message }) }
}
