import type { Failure } from '../model/failure.ts'
import type { RouteResponse } from './manifest.ts'

export function failed(failure: Failure): RouteResponse {
  return { kind: 'failure', failure }
}

export function badRequest(message: string): RouteResponse {
  return { kind: 'failure', failure: { kind: 'bad-request', message } }
}
