import type { Clock } from '../env/clock.ts'

export const hostClock: Clock = {
  wallMs: () => Date.now(),
  monoMs: () => Math.floor(performance.now() * 1000) / 1000,
}
