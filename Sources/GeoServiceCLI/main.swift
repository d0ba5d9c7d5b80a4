import Glibc

// A client that goes away must not end the process.
signal(SIGPIPE, SIG_IGN)
// Nor must a limit on the size of files: the write that meets it fails, and says so.
signal(SIGXFSZ, SIG_IGN)

let arguments = Array(CommandLine.arguments.dropFirst())
exit(Command.run(arguments))
