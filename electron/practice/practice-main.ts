/** The practice agent as a program of its own on plain Node. */
import { runPracticeAgent } from './practice-agent.js';

process.exitCode = await runPracticeAgent(process.argv.slice(2));
