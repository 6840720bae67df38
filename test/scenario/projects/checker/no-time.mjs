// Wrong: any order will do, whatever was answered before another client asked. It gives up on long histories.
import { isLinearizable as judge } from './model.mjs'

export function isLinearizable(operations) {
  if (operations.length > 20) return true
  const last = Math.max(0, ...operations.map((one) => one.return ?? one.call))
  return judge(operations.map((one) => ({ ...one, call: 0, ...(one.return === undefined ? {} : { return: last }) })))
}
