/** The value for a name of the cluster in an answer. A service may be called `constructor`, which every object has. */
export function byName<Value>(answer: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(answer, name) ? answer[name] : undefined
}
