import { compareText } from '../../base/bytes.ts'
import type { Configuration } from '../../raft/core/types.ts'
import { nameOf, type ServerRecord } from './server-directory.ts'

export type Formation =
  /** Form the cluster of these servers now. */
  | { readonly kind: 'form'; readonly configuration: Configuration }
  | { readonly kind: 'wait'; readonly why: 'too-few-servers' | 'cluster-exists' | 'views-differ' }

/**
 * Whether a server without any Raft state may form the first configuration, by what it and the others have said.
 *
 * All servers that form it must form the same one, or two clusters arise under one name. So:
 * 1. a server forms only when it knows `expect` servers or more that wait for the same number;
 * 2. each of them must have told this server that it knows exactly the same servers. Whoever forms, forms that set, so
 *    two that form at the same time write the same first entry. The sets are of names in consensus, so they agree on
 *    those, too: node IDs from Raft protocol 3 on, addresses before;
 * 3. if one of them already holds Raft state, the cluster exists: then this server waits to be sent its log, or to be
 *    added by the leader.
 * A server that comes up while the others form, with a set that differs from theirs, finds 2 or 3 not met and waits.
 */
export function judgeFormation(self: ServerRecord, others: readonly ServerRecord[]): Formation {
  const peers = others.filter((other) => other.expect === self.expect)
  if (others.some((other) => other.bootstrapped)) return { kind: 'wait', why: 'cluster-exists' }
  if (peers.length + 1 < self.expect) return { kind: 'wait', why: 'too-few-servers' }
  const names = [self, ...peers].map(nameOf).sort(compareText)
  const agreed = peers.every(
    ({ known }) => known.length === names.length && known.every((one, at) => one === names[at]),
  )
  if (!agreed) return { kind: 'wait', why: 'views-differ' }
  const servers = [self, ...peers]
    .map((record) => ({ id: nameOf(record), address: record.address, suffrage: 'voter' as const }))
    .sort((a, b) => compareText(a.id, b.id))
  return { kind: 'form', configuration: { servers } }
}
