import { type Naming, svcNaming } from './naming/naming.ts'

/**
 * Every way in which a request can fail that is not a bug: one closed union, and for each face of the agent one table
 * from its kinds (HTTP status in http/, CLI exit code in cli/, the frame of an answer in rpc/). A new kind does not
 * compile until every face has an answer.
 */
export type Failure =
  /** The caller's mistake; `message` names the field. */
  | { readonly kind: 'bad-request'; readonly message: string }
  | { readonly kind: 'too-large'; readonly message: string }
  | { readonly kind: 'not-found'; readonly message: string }
  /** No leader could be reached within the hold time. */
  | { readonly kind: 'no-leader' }
  /** Between servers only: ask `leader` instead. Never reaches a client. */
  | { readonly kind: 'not-leader'; readonly leader: string | undefined }
  | { readonly kind: 'unknown-datacenter'; readonly datacenter: string }
  /** A client agent knows no server. */
  | { readonly kind: 'no-servers' }
  /** The write may or may not have happened. `final`: it took effect, and its answer is lost for good. */
  | { readonly kind: 'outcome-unknown'; readonly message: string; readonly final?: true | undefined }
  | { readonly kind: 'deadline-exceeded'; readonly message: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'overloaded'; readonly message: string }
  /** A client agent may not send more requests to servers at present: `limits` of its configuration. */
  | { readonly kind: 'rate-limited' }
  | { readonly kind: 'shutting-down' }
  /** The leader's disk has no room for a write, which certainly did not take effect. Reads continue to work. */
  | { readonly kind: 'disk-full' }
  /** The token does not have the right. `message` contains at most the right that it lacks. */
  | { readonly kind: 'permission-denied'; readonly message: string }
  /** The token does not exist, or no longer. */
  | { readonly kind: 'token-not-found' }
  | { readonly kind: 'access-control-off' }
  /** Access control is not yet in the mode that this needs; `message` may name the servers that are missing. */
  | { readonly kind: 'legacy-access-control'; readonly message: string }
  /** The server does not know the method, because its release is older. */
  | { readonly kind: 'unknown-method'; readonly method: string }
  /**
   * The answer of an agent does not have the shape of this method, which this release knows: the agent is broken, or
   * its release is too far from this one.
   */
  | { readonly kind: 'malformed-answer'; readonly method: string }
  /** The servers have no mesh: it is not switched on. Reference: mesh.md#feature-switch. */
  | { readonly kind: 'mesh-off' }
  /**
   * A refusal with no better name, for people to read. Code never decides by its `message`: where a caller acts on one
   * reason in particular, that reason gets a kind of its own above.
   */
  | { readonly kind: 'refused'; readonly message: string }

export type FailureKind = Failure['kind']

/** Releases that do not know the kind `mesh-off` send this text in a refusal, and look for it: it stays as it is. */
export const meshOffText = 'Connect must be enabled in order to use this endpoint'

export function malformedAnswerText(method: string): string {
  return `${method}: malformed answer`
}

/** The one line for people. The same on every face. */
export function failureText(failure: Failure, { title }: Pick<Naming, 'title'> = svcNaming): string {
  switch (failure.kind) {
    case 'no-leader':
    case 'not-leader':
      return 'No cluster leader'
    case 'unknown-datacenter':
      return 'No path to datacenter'
    case 'no-servers':
      return `No known ${title} servers`
    case 'cancelled':
      return 'Request cancelled'
    case 'rate-limited':
      return 'rpc rate limit exceeded'
    case 'disk-full':
      return 'no space left on the disk of the leader'
    case 'token-not-found':
      return 'ACL not found'
    case 'access-control-off':
      return 'ACL support disabled'
    case 'shutting-down':
      return 'Agent is shutting down'
    case 'malformed-answer':
      return malformedAnswerText(failure.method)
    case 'mesh-off':
      return meshOffText
    case 'unknown-method':
      return `rpc: can't find method ${failure.method}`
    default:
      return failure.message
  }
}
