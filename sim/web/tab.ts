import { err, ok, type Result } from '../../src/base/result.ts'
import { clientsMax } from '../cli/serve/ports.ts'
import { playPage } from '../play/play-page.ts'
import type { TabBegin, TabCluster, TabQuestion } from '../play/tab-api.ts'
import { withoutDemands } from '../scenario/demands.ts'
import { type LoadedScenario, loadScenario, problemText } from '../scenario/language/load.ts'
import { serversMax } from '../scenario/language/scenario-schema.ts'
import { type Answered, type Going, refused } from './going.ts'
import { LessonsInTab } from './lessons/lessons-in-tab.ts'
import type { TabMachine } from './machine.ts'
import { beginRun } from './run-in-tab.ts'
import { beginSession } from './session-in-tab.ts'

interface Tab {
  /** Rejects only for an error of the program. */
  answer(question: TabQuestion): Promise<Answered>
}

/** One worker: a run, a session or lessons, which begin once. */
export function createTab(machine: TabMachine): Tab {
  let going: Going | undefined
  return {
    answer: async (question) => {
      const { method, path, body } = question
      if (path !== 'begin') return going === undefined ? refused(409, 'nothing has begun') : going.answer(question)
      if (method !== 'POST' || going !== undefined) return refused(409, 'the tab has begun: load the page again')
      const begin = JSON.parse(body) as TabBegin
      if (begin.does === 'lessons') {
        const lessons = LessonsInTab.begin(begin, machine)
        if (!lessons.ok) return refused(400, lessons.error)
        going = lessons.value
        return { status: 200, text: '{}' }
      }
      const loaded = scenarioOf(begin)
      if (!loaded.ok) return refused(400, loaded.error)
      going =
        begin.does === 'run' ? beginRun(loaded.value, begin, machine) : await beginSession(loaded.value, begin, machine)
      return { status: 200, text: '{}' }
    },
  }
}

function scenarioOf({ does, scenario, servers, clients }: TabCluster): Result<LoadedScenario, string> {
  if (scenario === undefined) {
    const problem = countProblem('servers', servers, 1, serversMax) ?? countProblem('clients', clients, 0, clientsMax)
    return problem === undefined ? ok(playPage({ servers, clients })) : err(problem)
  }
  const loaded = loadScenario(scenario.file, scenario.text)
  if (!loaded.ok) return err(loaded.error.map(problemText).join('\n'))
  return ok(does === 'play' ? withoutDemands(loaded.value) : loaded.value)
}

function countProblem(of: string, count: number | undefined, least: number, most: number): string | undefined {
  if (count === undefined || (Number.isInteger(count) && count >= least && count <= most)) return undefined
  return `the cluster cannot have ${count} ${of}: give ${least} to ${most}`
}
