import { describe, expect, it } from 'vitest'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { effectPoints, effectTimes } from '../../../sim/report/order-points.ts'

const operation = (callUs: number, returnUs: number): KeyOperation => ({
  client: 'client 1',
  key: 'k',
  kind: 'read',
  value: undefined,
  expected: undefined,
  consistency: 'default',
  callUs,
  returnUs,
  outcome: 'ok',
  found: undefined,
})

describe('the moments at which operations of an order take effect', () => {
  it('never go back, and lie between call and answer', () => {
    expect(effectTimes([operation(10, 30), operation(0, 20), operation(5, Number.POSITIVE_INFINITY)])).toEqual([
      10, 10, 10,
    ])
  })

  it('lie before the call of a read alone that is old', () => {
    expect(effectTimes([operation(50, 60), operation(10, 20)])).toEqual([20, 20])
  })

  it('are spread where several lie between two columns, and end with the answers', () => {
    const order = [operation(0, 20), operation(0, 20), operation(20, 20), operation(15, 20)]
    const drawn = new Set(order.slice(0, 2).concat(order.slice(3)))
    const columns = effectPoints(order, drawn, [0, 15, 20]).map(({ column }) => column)
    // The third one is not drawn, but the last one comes after it, at its answer.
    expect(columns).toEqual([1 / 3, 2 / 3, 2])
  })
})
