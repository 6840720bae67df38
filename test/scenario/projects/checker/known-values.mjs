// Wrong: each read must find something that was written before it returned, and nothing more is asked.
export function isLinearizable(operations) {
  const written = (value, at) => operations.some((one) => one.value === value && one.call <= at)
  return operations.every(
    ({ op, outcome, found, return: at }) => op !== 'read' || outcome !== 'ok' || found === null || written(found, at),
  )
}
