import { describe } from 'vitest'
import { tellEveryOther } from './stories.ts'

describe('every scenario', () => tellEveryOther(1))
