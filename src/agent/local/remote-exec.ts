import { z } from 'zod'
import { byteString, emptyBytes, fromBase64, utf8 } from '../../base/bytes.ts'
import { jsonOrUndefined } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { ChildOptions } from '../../env/process.ts'
import { getEndpoint } from '../../features/kv/endpoint.ts'
import { valueBytes } from '../../features/kv/model.ts'
import { lockEndpoint } from '../../features/kv/write-endpoints.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import {
  jobKey,
  jobPrefix,
  type NodeWord,
  type RemoteExecCall,
  type RemoteJob,
  remoteExecName,
  remoteExecRule,
  type UserEvent,
  wordKey,
} from '../../model/remote-exec.ts'
import type { Calls } from '../requests/asking/calls.ts'
import { freshRead } from '../requests/request.ts'
import { Pieces } from './remote-output.ts'

/** Maximum number of jobs that one agent runs at a time; further ones are ignored. */
const jobsMax = 16
/** Timeout after which a command is killed. */
const timeoutMs = 3_600_000

const callSchema = z.object({ Prefix: z.string().min(1), Session: z.string().min(1) })

const jobSchema = z.object({
  Command: z.string().default(''),
  Args: z.array(z.string()).nullish(),
  Script: z.string().nullish(),
  /** In nanoseconds. */
  Wait: z.number().min(0).default(0),
})

interface RemoteExecParts {
  readonly env: Env
  readonly calls: Pick<Calls, 'query' | 'write'>
  readonly nodeName: string
  readonly enabled: boolean
  /** The secret of the agent's own token. */
  token(): string
}

/** Runs the commands that `svc exec` sends to this node, if its configuration allows that. Spec: CFG-014. */
export class RemoteExec {
  readonly #parts: RemoteExecParts
  readonly #stopped = new Set<() => void>()
  #running = 0
  #isStopped = false

  constructor(parts: RemoteExecParts) {
    this.#parts = parts
  }

  hear(event: UserEvent): void {
    if (event.name !== remoteExecName) return
    const { env, enabled } = this.#parts
    const { id } = event
    if (!enabled) return env.log.write('warn', 'agent', 'ignoring remote exec event, disabled.', { id }, 'sampled')
    // Checked before anything is read or written for the event: an event costs its sender nothing.
    if (this.#running >= jobsMax) {
      return env.log.write(
        'warn',
        'agent',
        'ignoring remote exec event, too many jobs.',
        { id, jobs: this.#running },
        'sampled',
      )
    }
    this.#running++
    const settled = (): void => {
      this.#running--
    }
    env.detach(this.#run(event).finally(settled))
  }

  /** Kills running commands; no new ones are started. */
  stop(): void {
    this.#isStopped = true
    for (const end of [...this.#stopped]) end()
  }

  async #run(event: UserEvent): Promise<void> {
    const { env } = this.#parts
    const read = await this.#read(event)
    if (!read.ok)
      return env.log.write('error', 'agent', 'a remote command cannot be run', { why: read.error }, 'sampled')
    const { call, job } = read.value
    if (this.#isStopped || !(await this.#say(call, { kind: 'ack' }, emptyBytes)) || this.#isStopped) return
    const output = new Pieces(env, (number, piece) => this.#say(call, { kind: 'output', number }, piece), job.waitMs)
    const end = (): void => output.close()
    this.#stopped.add(end)
    const exit = await this.#carryOut(call, job, output)
    this.#stopped.delete(end)
    if (await output.finished()) await this.#say(call, { kind: 'exit' }, utf8(String(exit)))
  }

  /**
   * The exit code; 255 for a command that was killed or cannot be run, because a shell's own codes do not go that high.
   */
  async #carryOut({ session }: RemoteExecCall, job: RemoteJob, output: Pieces): Promise<number> {
    const { env } = this.#parts
    const argv = argvOf(job)
    // Only the program is logged: its arguments may be a secret.
    env.log.write('info', 'agent', 'remote exec', { session, program: argv[0] })
    const input = job.script.length > 0 ? { input: job.script } : {}
    const options: ChildOptions = {
      timeoutMs,
      outputBytesMax: 0,
      onOutput: (piece) => output.push(piece),
      until: output.lost,
      ...input,
    }
    const ran = await env.processes.run(argv, options)
    if (!ran.ok) {
      output.push(utf8(`${ran.error.program}: ${ran.error.message}\n`))
      return 255
    }
    if (typeof ran.value.exit === 'number') return ran.value.exit
    output.push(utf8(`${argv[0]}: ended by ${ran.value.exit}\n`))
    return 255
  }

  async #read(event: UserEvent): Promise<Result<{ readonly call: RemoteExecCall; readonly job: RemoteJob }, string>> {
    const called = callSchema.safeParse(jsonOrUndefined(event.payload))
    if (!called.success) return err('the event names no job')
    const call = { prefix: jobPrefix(called.data.Prefix), session: called.data.Session }
    const { calls, token } = this.#parts
    const answer = await calls.query(getEndpoint, { key: byteString(jobKey(call)) }, freshRead, { token: token() })
    if (!answer.ok) return err(refusedText(answer.error, call))
    const entry = answer.value.value
    const read = entry === null ? undefined : jobSchema.safeParse(jsonOrUndefined(valueBytes(entry.value)))
    if (read === undefined) return err('there is no job under the key that the event names')
    if (!read.success) return err('the job cannot be read')
    const { Command, Args, Script, Wait } = read.data
    const script = fromBase64(Script ?? '')
    if (script === undefined) return err('the script of the job is not base64')
    return ok({ call, job: { command: Command, args: Args ?? [], script, waitMs: Wait / 1e6 } })
  }

  /** Writes a key under the session of the job; false if the session has ended, because the caller has gone. */
  async #say(call: RemoteExecCall, word: NodeWord, value: Uint8Array): Promise<boolean> {
    const { calls, env, nodeName, token } = this.#parts
    const as = { token: token() }
    const key = byteString(wordKey(call, nodeName, word))
    const written = await calls.write(lockEndpoint, { key, value, flags: 0n, session: call.session }, as)
    if (written.ok) return written.value.kind === 'held'
    env.log.write(
      'warn',
      'agent',
      'the result of a remote command could not be written',
      {
        why: refusedText(written.error, call),
      },
      'sampled',
    )
    return false
  }
}

/** Names the rule that the agent's token lacks: the caller only sees that this node does not answer. */
function refusedText(failure: Failure, { prefix }: RemoteExecCall): string {
  const text = failureText(failure)
  if (failure.kind !== 'permission-denied') return text
  return `${text}: the agent's token lacks ${remoteExecRule(prefix)}`
}

function argvOf(job: RemoteJob): readonly [string, ...string[]] {
  const [program, ...rest] = job.args
  if (program !== undefined) return [program, ...rest]
  return job.script.length > 0 ? ['/bin/sh', '-s'] : ['/bin/sh', '-c', job.command]
}
