import { itemAt } from '../../src/base/items.ts'
import type { Order } from './protocol.ts'

/** Every order of this many nodes, the identity first. */
export function ordersOf(nodes: number): readonly Order[] {
  return permutations(Array.from({ length: nodes }, (_, place) => place))
}

function permutations(places: readonly number[]): Order[] {
  if (places.length === 0) return [[]]
  return places.flatMap((first) =>
    permutations(places.filter((place) => place !== first)).map((others) => [first, ...others]),
  )
}

/** The order that undoes this one, and then applies the other. */
export function undoneThen(order: Order, other: Order): Order {
  const back: number[] = []
  for (const [place, to] of order.entries()) back[to] = itemAt(other, place)
  return back
}
