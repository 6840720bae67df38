// Wrong: an operation without an answer counts as one that did not happen.
import { isLinearizable as judge } from './model.mjs'

export function isLinearizable(operations) {
  return judge(operations.filter(({ outcome }) => outcome !== 'unknown'))
}
