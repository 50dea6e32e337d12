/* cmd/main.c -- winnow: finds the command in the table and runs it. */
#include <stdio.h>

int main(void)
{
	puts("winnow " WINNOW_VERSION);
	return 0;
}
