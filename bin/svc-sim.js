#!/usr/bin/env node
import { launch } from './launch.js'

await launch('svc-sim', 'dist/sim/main.js')
