import { compareText } from '../../base/bytes.ts'
import type { Configuration } from '../../raft/core/types.ts'
import { nameOf, type ServerRecord } from './server-directory.ts'

export type Formation =
  /** Form the cluster of these servers now. */
  | { readonly kind: 'form'; readonly configuration: Configuration }
  /** `why` is for the log. */
  | { readonly kind: 'wait'; readonly why: string }

/**
 * Decides whether a server without any Raft state may form the first configuration, from its own and the others'
 * records.
 *
 * All servers that form it must form the same one, or two clusters arise under one name. So:
 * 1. A server forms a configuration only when it knows `expect` servers or more that wait for the same number.
 * 2. Each of them must have told this server that it knows exactly the same ones of those. Every server that forms a
 *    configuration forms that set, so two that do so at the same time write the same first entry. The sets consist of
 *    names in Raft, so that the servers agree on those, too: node IDs from Raft protocol 3 on, addresses before.
 *    Servers that wait for none form nothing, so no record names them, and the leader adds them later: a server that is
 *    to join an existing cluster must not keep the others from forming it.
 * 3. A server that waits for another number would form another set: until its setting is corrected, none is formed.
 * 4. If one of them already holds Raft state, the cluster exists: this server waits until the leader adds it or sends
 *    it the log. A server that starts while the others form the configuration, with a set that differs from theirs,
 *    finds 2 or 4 not met and waits.
 */
export function judgeFormation(self: ServerRecord, others: readonly ServerRecord[]): Formation {
  const peers = others.filter((other) => other.expect === self.expect)
  const settled = others.find(({ bootstrapped }) => bootstrapped)
  if (settled !== undefined) return { kind: 'wait', why: `${settled.name} has the state of a cluster already` }
  const otherwise = others.find(({ expect }) => expect > 0 && expect !== self.expect)
  if (otherwise !== undefined) return { kind: 'wait', why: whyOtherwise(otherwise, self.expect) }
  if (peers.length + 1 < self.expect) return { kind: 'wait', why: 'fewer servers than bootstrap_expect are known' }
  const names = [self, ...peers].map(nameOf).sort(compareText)
  const apart = peers.find(({ known }) => known.length !== names.length || known.some((one, at) => one !== names[at]))
  if (apart !== undefined) return { kind: 'wait', why: `${apart.name} does not know the same servers yet` }
  const servers = [self, ...peers]
    .map((record) => ({ id: nameOf(record), address: record.address, suffrage: 'voter' as const }))
    .sort((a, b) => compareText(a.id, b.id))
  return { kind: 'form', configuration: { servers } }
}

function whyOtherwise({ name, expect }: ServerRecord, own: number): string {
  return `${name} waits for ${expect} servers, and this one for ${own}: give all the same bootstrap_expect`
}
