import type { LoggedCommand } from '../../src/agent/replication/command-codec.ts'
import type { WriteIdentity } from '../../src/features/contract/command.ts'
import type { Release } from '../../src/model/release.ts'
import type { ReadTransaction } from '../../src/store/types.ts'
import type { AccessState, ServerSeen, TokenState } from './access/access-facts.ts'
import type { LockFacts } from './clients/lock-facts.ts'
import type { OfNode } from './process-facts.ts'
import type { NodeRows } from './registrations/registration-facts.ts'

/** Reported by the observer of one server about its replicated state, and by readers of that state. */
export interface StateFacts {
  /** The server's state was replaced. */
  readonly 'state moved': OfNode
  readonly 'command carried out': OfNode & {
    readonly release: Release
    readonly kind: string
    readonly index: number
    readonly identity: WriteIdentity | undefined
  }
  /** The first server has applied a command. `tx`: the state right after. */
  readonly 'command took effect': OfNode & {
    readonly command: Pick<LoggedCommand, 'kind' | 'body' | 'identity'>
    readonly index: number
    readonly outcome: unknown
    readonly tx: ReadTransaction
  }
  /** The first server has replaced its state by another one. */
  readonly 'state replaced': OfNode & { readonly index: number; readonly tx: ReadTransaction }
  /** The catalog's rows of a node whose agent clients ask for changes. `isRestored`: by a snapshot. */
  readonly 'node listed': OfNode & { readonly rows: NodeRows; readonly isRestored: boolean }
  /** `value` undefined: the key was deleted. */
  readonly 'key changed': { readonly key: string; readonly index: number; readonly value: string | undefined }
  readonly 'locks changed': LockFacts
  readonly 'locks replaced': LockFacts
  /** The members of the node's own pool have changed. `servers`: as its gossip pools see them. */
  readonly 'servers seen': OfNode & { readonly servers: () => readonly ServerSeen[] }
  readonly 'mode recorded': OfNode & { readonly isNew: boolean }
  /** `by`: a batch of the migration, any other command, or a state that replaced the previous one. */
  readonly 'access changed': { readonly state: AccessState; readonly by: 'migration' | 'command' | 'restore' }
  /** One token only, because a scenario may make thousands. */
  readonly 'token written': { readonly atUs: number; readonly secret: string; readonly token: TokenState }
}
