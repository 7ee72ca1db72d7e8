#!/usr/bin/env node
// Starts the `ns` of this platform, from the optional dependency that npm has installed.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isatty } = require("node:tty");
const { optionalDependencies } = require("../package.json");

function findProgram() {
  const platform = `${process.platform}-${process.arch}`;
  const name = Object.keys(optionalDependencies).find((dependency) => dependency.endsWith(`/${platform}`));
  if (name === undefined) {
    throw new Error(`there is no package for ${platform}; the platforms are ${Object.keys(optionalDependencies).join(", ")}`);
  }
  try {
    return require.resolve(`${name}/bin/ns`);
  } catch {
    throw new Error(`the package \`${name}\` is not installed; install again without \`--omit=optional\``);
  }
}

// The process becomes `ns`, where Node.js can do that (22.15 and later): then there is nothing to pass on.
function become(program, words) {
  if (typeof process.execve !== "function") return;
  // Node.js would print that the function is experimental.
  process.emitWarning = () => {};
  try {
    process.execve(program, [program, ...words], process.env);
  } catch (error) {
    if (error.code !== "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM") throw error;
  }
}

function start(program, words) {
  const child = spawn(program, words, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
    // A terminal sends its own signals to the whole group, so the child already has them.
    const fromTerminal = (signal === "SIGINT" || signal === "SIGQUIT") && isatty(0);
    process.on(signal, () => fromTerminal || child.kill(signal));
  }
  child.on("error", (error) => fail(error));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Only a signal that does not end processes comes here.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
  });
}

function fail(error) {
  console.error(`ns: ${error.message}`);
  process.exit(1);
}

try {
  const program = findProgram();
  const words = process.argv.slice(2);
  become(program, words);
  start(program, words);
} catch (error) {
  fail(error);
}
