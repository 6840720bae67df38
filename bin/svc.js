#!/usr/bin/env node
import { launch } from './launch.js'

await launch('svc', 'dist/src/host/main.js')
