// Wrong: any order will do that keeps the order of each client, as sequential consistency asks.
import { isLinearizable as judge } from './model.mjs'

export function isLinearizable(operations) {
  const last = Math.max(0, ...operations.map((one) => one.return ?? one.call))
  return judge(operations.map((one) => ({ ...one, call: 0, ...(one.return === undefined ? {} : { return: last }) })))
}
