import { textOf } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { ChildExit } from '../../../env/process.ts'
import { readWholeFile } from '../../whole-file.ts'
import type { DiscoveryEnv, DiscoveryRequest } from './request.ts'

/** Maximum time for a program to print its addresses. */
const commandMs = 30_000
/** Maximum bytes of its output; a longer output is not a list of addresses. */
const outputBytesMax = 64 << 10

/** `provider=file path=/etc/svc/servers`: addresses in a file, read at each attempt. */
export async function askFile(
  { disk }: DiscoveryEnv,
  request: DiscoveryRequest,
): Promise<Result<readonly string[], string>> {
  const read = await readWholeFile(disk, request.get('path') ?? '')
  return read.ok ? ok(addressesIn(read.value)) : err(`provider file: ${read.error.kind}: ${read.error.path}`)
}

/** `provider=exec command="/usr/local/bin/servers --of dc1"`: addresses that a program prints. No shell is involved: words are divided by spaces. */
export async function askExec(
  { processes }: DiscoveryEnv,
  request: DiscoveryRequest,
): Promise<Result<readonly string[], string>> {
  const [program = '', ...args] = (request.get('command') ?? '').split(' ').filter((word) => word !== '')
  const ended = await processes.run([program, ...args], { timeoutMs: commandMs, outputBytesMax: outputBytesMax + 1 })
  if (!ended.ok) return err(`provider exec: ${program}: ${ended.error.message}`)
  const problem = problemOf(ended.value)
  return problem === undefined ? ok(addressesIn(ended.value.output)) : err(`provider exec: ${program} ${problem}`)
}

function problemOf({ exit, timedOut, output }: ChildExit): string | undefined {
  if (timedOut) return `has not ended within ${commandMs / 1000} s`
  if (exit !== 0) return `ended with ${exit}`
  return output.length > outputBytesMax ? `printed more than ${outputBytesMax} bytes` : undefined
}

/** One or more addresses on a line, separated by spaces or commas; a number sign begins a comment. */
export function addressesIn(bytes: Uint8Array): readonly string[] {
  const lines = textOf(bytes).split('\n')
  return lines.flatMap((line) => line.replace(/#.*/, '').split(/[\s,]+/)).filter((word) => word !== '')
}
