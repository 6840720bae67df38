import type { FuzzTarget } from '../../tools/fuzz/target.ts'
import { believesLength, crashes, goesOverAllAgain, spendsTime, standsStill } from './decoders.ts'

const planted = (name: string, run: (bytes: Uint8Array) => unknown, seed: string, lengthMax = 4_096): FuzzTarget => ({
  name: `planted-${name}`,
  about: 'a flaw, to try the fuzzer',
  lengthMax,
  run: (bytes) => void run(bytes),
  seeds: () => [new TextEncoder().encode(seed)],
})

export const plantedTargets: readonly FuzzTarget[] = [
  planted('crash', crashes, 'none of it'),
  planted('steps', goesOverAllAgain, 'a[b'),
  planted('bytes', believesLength, 'ab'),
  planted('endless', standsStill, 'a'),
  planted('cpu', spendsTime, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa', 29),
]
