import type { Invariants } from '../../checkers/invariants.ts'
import { oneDatacenter } from '../../cluster/group-facts.ts'
import type { RunContext } from '../run-context.ts'

/** A run restricted to one of its datacenters, for judging rest there. */
export function partOfRun(run: RunContext, datacenter: string, invariants: Invariants): RunContext {
  return {
    scenario: run.scenario,
    simulation: run.simulation,
    invariants,
    cluster: oneDatacenter(run.cluster, datacenter),
    injector: run.injector,
    driver: run.driver,
    workload: run.workload,
    saved: run.saved,
    tunnels: run.tunnels,
    remembered: run.remembered,
    checksOf: (other) => run.checksOf(other),
    parts: () => run.parts(),
    hasFailed: () => run.hasFailed(),
    pass: (spanMs) => run.pass(spanMs),
    passUntil: (isSo, spanMs) => run.passUntil(isSo, spanMs),
    fail: (path, message) => run.fail(path, message),
    tell: (kind, text) => run.tell(kind, text),
    triggered: (trigger, node) => run.triggered(trigger, node),
    judge: (condition) => run.judge(condition),
    select: (selector) => run.select(selector),
    stepScope: () => run.stepScope(),
  }
}
