import { expect, it } from 'vitest'
import { features } from '../../../src/agent/assembly/features.ts'
import { commandMetric } from '../../../src/agent/replication/command-metric.ts'

const shown = (kind: string): string => {
  const { name, labels } = commandMetric(kind)
  return name + (labels?.key ?? '')
}

it('each replicated command is measured under the name and the operation of the field, where it has them', () => {
  const kinds = features.flatMap(({ commands = [] }) => commands.map(({ kind }) => kind))
  const measured = new Set(kinds.map(shown))
  const ofField = [
    ...['fsm.register', 'fsm.deregister', 'fsm.txn', 'fsm.autopilot', 'fsm.coordinate.batch-update'],
    ...['set', 'delete', 'delete-tree', 'cas', 'delete-cas', 'lock', 'unlock'].map((op) => `fsm.kvs;op=${op}`),
    ...['create', 'destroy'].map((op) => `fsm.session;op=${op}`),
    ...['set', 'delete', 'bootstrap'].map((op) => `fsm.acl;op=${op}`),
    ...['upsert', 'delete', 'bootstrap'].map((op) => `fsm.acl.token;op=${op}`),
    ...['upsert', 'delete'].map((op) => `fsm.acl.policy;op=${op}`),
    ...['create', 'update', 'delete'].flatMap((op) => [`fsm.prepared-query;op=${op}`, `fsm.intention;op=${op}`]),
    'fsm.tombstone;op=reap',
  ]
  expect(ofField.filter((each) => !measured.has(each))).toEqual([])
  // A command that the field has not shows what it is called here.
  expect(shown('connect.prune')).toBe('fsm.ca;op=prune')
  expect([...measured].filter((each) => !/^fsm\.[a-z.-]+(;op=[a-z-]+)?$/.test(each))).toEqual([])
})
