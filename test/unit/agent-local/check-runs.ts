import type { SimNode } from '../../../sim/simulation/node.ts'
import type { Simulation } from '../../../sim/simulation/simulation.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import type { CheckProbe } from '../../../src/model/catalog.ts'
import { checkOf, configOf, type LocalWorld } from './local-world.ts'

export const scriptsOn = configOf({
  checksConfig: { ...configOf().checksConfig, remoteScripts: true, localScripts: true },
})

export function http(url: string, rest: Partial<Extract<CheckProbe, { kind: 'http' }>> = {}): CheckProbe {
  const probe = { kind: 'http', url, method: '', header: [], tlsSkipVerify: false } as const
  return { ...probe, intervalMs: 10_000, timeoutMs: 10_000, ...rest }
}

export const tcp = (address: string): CheckProbe => ({ kind: 'tcp', address, intervalMs: 10_000, timeoutMs: 5_000 })
export const script = (...argv: [string, ...string[]]): CheckProbe => {
  return { kind: 'script', argv, intervalMs: 10_000, timeoutMs: 2_000 }
}

/** A machine at 10.0.0.2 whose web server answers so at port 80. */
export function webServer(answer: (request: HttpRequest) => HttpResponse) {
  return (_node: SimNode, simulation: Simulation): void => {
    const other = simulation.addNode({ name: 'b', host: '10.0.0.2' })
    other.boot((env) => env.http.serve({ host: '10.0.0.2', port: 80 }, async (request) => answer(request)))
  }
}

export const answered = (status: number, body: string | Uint8Array = '', headers: HttpResponse['headers'] = []) => {
  return { status, headers, body }
}

/** What the check says after its first run. */
export async function firstSaid(
  world: LocalWorld,
  probe: CheckProbe,
): Promise<readonly [status: string, output: string]> {
  await world.local.registerCheck(checkOf('c', probe))
  await world.rest(25_000)
  const [check] = world.local.checks()
  return [check?.status ?? '', check?.output ?? '']
}
