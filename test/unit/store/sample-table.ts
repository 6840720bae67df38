import type { TableDefinition } from '../../../src/store/types.ts'

/** A row with something to be found by, for tests of the store. */
export interface Sample {
  readonly id: string
  readonly group: string
  readonly weight: number
  readonly modifyIndex: number
}

export const samples: TableDefinition<Sample> = {
  name: 'samples',
  key: (row) => row.id,
  indexes: {
    group: { key: (row) => (row.group === '' ? undefined : row.group) },
    weight: { key: (row) => String(row.weight).padStart(4, '0') },
  },
  departures: { group: { stays: (before, after) => before.group === after.group }, told: {} },
  decode: decodeSample,
}

export const quietSamples: TableDefinition<Sample> = { ...samples, name: 'quiet-samples', unwatched: true }

function decodeSample(stored: unknown): Sample {
  const { id, group, weight, modifyIndex } = stored as Partial<Sample>
  if (typeof id !== 'string' || typeof group !== 'string') throw new Error('a sample without id or group')
  if (typeof weight !== 'number' || typeof modifyIndex !== 'number') throw new Error('a sample without numbers')
  return { id, group, weight, modifyIndex }
}

export function sample(id: string, modifyIndex: number, group = '', weight = 0): Sample {
  return { id, group, weight, modifyIndex }
}
