import type { DuePart, View, Visit } from './access/access-facts.ts'
import type { StillAnswer, WaitingRead } from './clients/read-facts.ts'
import type {
  EventListing,
  EventLook,
  EventWait,
  FewRightsFire,
  FewRightsList,
  FiredEvent,
} from './events/event-facts.ts'
import type { IntentionChange, IntentionDecision } from './intentions/intention-facts.ts'
import type { KeyOperation, ListedKey } from './keys/key-history.ts'
import type { OwnAnswer } from './keys/own-words.ts'
import type { OfNode } from './process-facts.ts'
import type { OutsideAnswer, OutsideQuestion, RecursorAsked } from './reads/outside-facts.ts'
import type { PipelinedNames } from './reads/pipelined-names.ts'
import type { RefusedTimely, TimelyAnswer, ToldName } from './reads/timely-facts.ts'
import type { SettledAnswer, SettledRequest } from './refusal-facts.ts'
import type { RegistrationChange } from './registrations/registration-facts.ts'

/** Reported by the clients of the workload. */
export interface ClientFacts {
  /** A client asks an agent to change its services or checks. The outcome is filled in later. */
  readonly 'registration began': { readonly change: RegistrationChange }
  readonly 'registration ended': { readonly change: RegistrationChange }
  /** Its outcome is filled in later. */
  readonly 'operation began': { readonly operation: KeyOperation }
  /** Its outcome is final: it was answered, or its client waits no longer. */
  readonly 'operation ended': { readonly operation: KeyOperation }
  /** It certainly did not happen, and its client was told that. */
  readonly 'operation withdrawn': { readonly operation: KeyOperation }
  readonly 'write acknowledged': { readonly operation: KeyOperation }
  /** A client was told that a transaction, which was to write this value, had no effect. */
  readonly 'write refused': { readonly value: string; readonly what: string }
  /** An answer had all existing keys among these names. */
  readonly 'keys listed': {
    readonly asked: readonly string[]
    readonly found: readonly ListedKey[]
    readonly where: string
  }
  readonly 'own answer': OwnAnswer
  /** A client learnt an index by a blocking read. */
  readonly 'reader answered': {
    readonly read: WaitingRead
    readonly index: number
    /** The result differs from that of the index that was waited for. */
    readonly isChanged: boolean
    /** The answer says that it may be stale. */
    readonly isStale: boolean
    /** Its server may show a state from before its start. */
    readonly mayBeOld: boolean
  }
  /** A client has given up a blocking read after its timeout, and its agent is the same process as before. */
  readonly 'reader unanswered': { readonly read: WaitingRead }
  readonly 'still answered': StillAnswer
  readonly 'watcher follows': { readonly watcher: string; readonly prefix: string }
  readonly 'watcher answered': { readonly watcher: string; readonly rows: readonly ListedKey[] }
  /** A client was told that it holds the key, with this fencing number. */
  readonly 'lock answered': { readonly key: string; readonly session: string; readonly fence: number }
  /** A client called for a renewal at one time, and the answer at another time confirmed the session. */
  readonly 'session renewed': { readonly id: string; readonly calledUs: number; readonly answeredUs: number }
  /** A renewal without an answer may have taken effect up to now. */
  readonly 'renewal attempted': { readonly id: string; readonly untilUs: number }
  readonly 'visit made': Visit
  readonly 'intention answered': IntentionChange
  readonly 'intention decided': IntentionDecision
  /** From now on, answers about the service are reported. */
  readonly 'service followed': { readonly service: string }
  readonly 'service told': TimelyAnswer
  readonly 'service not told': RefusedTimely
  readonly 'settled request began': SettledRequest
  readonly 'settled request answered': SettledAnswer
  readonly 'name told': ToldName
  readonly 'names pipelined': PipelinedNames
  readonly 'outside name asked': OutsideQuestion
  readonly 'recursor asked': RecursorAsked
  readonly 'outside name answered': OutsideAnswer
  /** Its ID is filled in when the agent has answered. */
  readonly 'event asked for': { readonly event: FiredEvent; readonly boot: number }
  readonly 'event looked for': EventLook
  readonly 'event wait began': EventWait
  /** The request has no answer, or none that can be judged. */
  readonly 'event wait given up': EventWait
  readonly 'events listed': EventListing
  readonly 'event asked for with few rights': FewRightsFire
  readonly 'event answered with few rights': FewRightsFire
  readonly 'events shown to few rights': FewRightsList
  /**
   * A request with a unique mark began. The replicated state has the mark once the request has taken effect, and not
   * otherwise.
   */
  readonly 'visit began': { readonly mark: string; readonly tookEffect: () => void }
  /** Such a request was answered with success. `what`: `write to a`; `calledIn`: the event in which it was sent. */
  readonly 'visit acknowledged': {
    readonly mark: string
    readonly what: string
    readonly agent: string
    readonly calledIn: number
  }
  /** A visitor asks for a list now. */
  readonly 'view asked for': { readonly view: View }
  /** The same visitor was shown these parts of it. `compared` is called with what there was, unless that is unclear. */
  readonly 'view shown': {
    readonly view: View
    readonly names: ReadonlySet<string>
    readonly compared: (due: readonly DuePart[]) => void
  }
  readonly 'view compared': { readonly visit: Omit<Visit, 'said' | 'needs'>; readonly due: readonly DuePart[] }
  /** An agent has answered a heartbeat with success. `isHeld`: it had the check at the request or at the answer. */
  readonly 'heartbeat taken': OfNode & {
    /** The ID of the check. */
    readonly check: string
    /** The agent's process restarted before it answered. */
    readonly isRestarted: boolean
    readonly isHeld: boolean
  }
  /** An agent answered a step of the scenario. `line`: method and target, as written in the step. */
  readonly 'request answered': OfNode & { readonly line: string; readonly status: number }
}
