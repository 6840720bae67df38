/** The command line of a measurement, and what every one of them prints or computes. */
import { loadavg } from 'node:os'

/** `--rounds=3` is `rounds`; what has no value is there without one. */
export const options = new Map(process.argv.slice(2).map((text) => text.replace(/^--/, '').split('=')))

export function numberOption(name, usual) {
  return Number(options.get(name) ?? usual)
}

export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

/** Figures of a machine with other work are not comparable: the load stands before them and behind. */
export function printLoad(more = `, Node ${process.version}`) {
  console.log(`load average ${loadavg()[0].toFixed(1)}${more}`)
}
