import { type Grade, type Project, type ProjectKind, projectNamed } from '../../../lessons/projects.ts'
import { exits, type SimTerminal } from '../../terminal.ts'
import { refused } from '../desk.ts'
import { gradeChecker } from './grade-checker.ts'
import { gradeFailover } from './grade-failover.ts'
import { gradeMend } from './grade-mend.ts'
import { unknownProject } from './start.ts'

type Grader = (project: Project, dir: string, terminal: SimTerminal) => Promise<Grade>

const graders: Readonly<Record<ProjectKind, Grader>> = {
  checker: gradeChecker,
  mend: gradeMend,
  failover: gradeFailover,
}

/** `svc-sim lesson project check`: grades the work in a folder. The exit code is 0 when it is accepted. */
export async function checkProject(named: string, dir: string, terminal: SimTerminal): Promise<number> {
  const project = projectNamed(named)
  if (project === undefined) return refused([unknownProject(named)], terminal)
  const { passed, lines } = await graders[project.kind](project, dir, terminal)
  for (const line of lines) terminal.out(`${line}\n`)
  terminal.out(`project ${project.number}: ${passed ? 'accepted' : 'not accepted yet'}\n`)
  return passed ? exits.passed : exits.failed
}
