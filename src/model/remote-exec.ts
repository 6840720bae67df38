import type { Json } from '../base/json.ts'

/**
 * A user event for agents to act on. Filters are regular expressions; '' matches all. Reference:
 * events.md#firing-an-event, events.md#filters.
 */
export interface UserEvent {
  /** A UUID. */
  readonly id: string
  readonly name: string
  readonly payload: Uint8Array
  readonly nodeFilter: string
  readonly serviceFilter: string
  readonly tagFilter: string
  /** Lamport time of the pool; 0 before the event is fired. */
  readonly lamport: number
}

/** The event that asks agents to run a command, and the default of the prefix under which its keys are: the field's. */
export const remoteExecName = '_rexec'

/** The content of the event: the place of the job, and the session for everything that is written for it. */
export interface RemoteExecCall {
  readonly prefix: string
  readonly session: string
}

/** The command to run. */
export interface RemoteJob {
  /** A line for the shell; empty if one of the others is given. */
  readonly command: string
  /** A program and its arguments, without a shell. */
  readonly args: readonly string[]
  /** A script for the shell to read. */
  readonly script: Uint8Array
  /** An agent that has sent nothing for this long sends a sign of life. */
  readonly waitMs: number
}

export function remoteExecCallJson({ prefix, session }: RemoteExecCall): Json {
  return { Prefix: prefix, Session: session }
}

/** The given prefix without its final slashes: clients of the field leave them out of keys, but not out of the event. */
export function jobPrefix(given: string): string {
  return given.replace(/\/+$/, '')
}

/** The rule that the caller's token needs, and that of each agent which is to run the job: in the form of a policy. */
export function remoteExecRule(prefix: string): string {
  return `key_prefix ${JSON.stringify(`${prefix}/`)} { policy = "write" }`
}

/** Prefix of all keys of one job. */
export function jobFolder({ prefix, session }: RemoteExecCall): string {
  return `${prefix}/${session}/`
}

export function jobKey(call: RemoteExecCall): string {
  return `${jobFolder(call)}job`
}

/** What a node reports about a job. */
export type NodeWord =
  | { readonly kind: 'ack' }
  /** The n-th piece of the output; an empty one is a sign of life. */
  | { readonly kind: 'output'; readonly number: number }
  /** Its value is the exit code as text. */
  | { readonly kind: 'exit' }

export function wordKey(call: RemoteExecCall, node: string, word: NodeWord): string {
  const name = word.kind === 'output' ? `out/${word.number.toString(16).padStart(5, '0')}` : word.kind
  return `${jobFolder(call)}${node}/${name}`
}

/** The node and its report, from the part of a key that follows the job's folder; undefined for any other key. */
export function wordOf(rest: string): { readonly node: string; readonly word: NodeWord } | undefined {
  const match = /^([^/]+)\/(?:(ack|exit)|out\/([0-9a-f]{5,}))$/.exec(rest)
  if (match === null) return undefined
  const [, node = '', plain, number] = match
  if (plain === 'ack' || plain === 'exit') return { node, word: { kind: plain } }
  return { node, word: { kind: 'output', number: Number.parseInt(number ?? '', 16) } }
}
