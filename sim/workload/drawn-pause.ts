import type { Env } from '../../src/env/env.ts'
import { pause } from '../../src/model/pause.ts'
import type { Draws } from '../world/decisions/draws.ts'

/** Of a client between two requests, in milliseconds. */
export interface PauseRange {
  readonly min: number
  readonly max: number
}

/** Resolves after a time drawn from the range. */
export function drawnPause(env: Pick<Env, 'deferred' | 'timers'>, draws: Draws, range: PauseRange): Promise<void> {
  return pause(env, drawnMs(draws, range))
}

export function drawnMs(draws: Draws, { min, max }: PauseRange): number {
  return min + draws.fraction() * (max - min)
}
